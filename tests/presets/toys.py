"""Made-up parts of every kind that a preset names, so that presets are tested with no plugin installed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from coachcore.api import BadSetting, Duration, Schedule, component, hookimpl, param
from coachcore.registry.registry import Registry

PRESETS = Path(__file__).parent / "installed"

_TORSO = {"embedders": {"observation": {"use": "vector"}}, "middleware": {"use": "dense"}}
_CHOOSER = _TORSO | {"heads": {"q": {"use": "q"}}}
_WALKER = _TORSO | {"heads": {"policy": {"use": "policy"}, "value": {"use": "value", "units": 32}}}


@component("schedule", "linear", aliases=("LinearSchedule",), values=("start", "end"))
@attrs.frozen(kw_only=True)
class Linear:
    """From start to end."""

    start: float = param(doc="first value")
    end: float = param(doc="last value")
    steps: int = param(doc="how long it takes", ge=1)

    def __call__(self, step: float) -> float:
        return self.start + (self.end - self.start) * min(step / self.steps, 1)


@component("schedule", "piecewise", values=("schedules",))
@attrs.frozen(kw_only=True)
class Piecewise:
    """One after the other."""

    schedules: tuple[Schedule, ...] = param(type="schedule[]", doc="the pieces")

    def __call__(self, step: float) -> float:
        return float(self.schedules[0](step))


@component("schedule", "wave")
@attrs.frozen(kw_only=True)
class Wave:
    """Up and down; does not say what its values are."""

    high: float = param(doc="greatest value")

    def __call__(self, step: float) -> float:
        return self.high * (step % 2)


def _no_moon(_part: Any, _field: Any, value: str) -> None:
    if value == "moon":
        raise ValueError("there is no track on the moon")


@component("environment", "track", aliases=("TrackEnvironment",))
@attrs.frozen(kw_only=True)
class Track:
    """Run along a track."""

    id: str = param(doc="which track", check=_no_moon)
    length: int = param(default=10, ge=1, doc="how long it is")
    wind: float | None = param(default=None, doc="how strong it blows")
    options: Mapping[str, Any] = param(factory=dict, doc="anything else")


@component("agent", "chooser", slots={"q": "action-values"}, defaults=_CHOOSER)
@attrs.frozen(kw_only=True)
class Chooser:
    """Learns values."""

    discount: float = param(default=0.99, ge=0, le=1, doc="weight of the next step")
    double: bool = param(default=False, doc="two networks")
    loss: str = param(default="huber", choices=("huber", "mse"), doc="which loss")


@component(
    "agent",
    "walker",
    slots={"policy": "discrete-policy", "value": "state-value"},
    defaults=_WALKER,
    data={"order": "sequence", "fresh": True},
)
@attrs.frozen(kw_only=True)
class Walker:
    """Learns a policy."""

    discount: float = param(default=0.99, ge=0, le=1, doc="weight of the next step")


@component("embedder", "vector")
@attrs.frozen(kw_only=True)
class Vector:
    """Numbers."""

    scheme: str = param(default="medium", choices=("empty", "shallow", "medium", "deep"), doc="layers")


@component("middleware", "dense")
@attrs.frozen(kw_only=True)
class Dense:
    """Layers."""

    scheme: str = param(default="medium", choices=("empty", "shallow", "medium", "deep"), doc="layers")


@component("head", "q", provides="action-values")
@attrs.frozen(kw_only=True)
class Q:
    """Values."""


@component("head", "dueling-q", provides="action-values")
@attrs.frozen(kw_only=True)
class DuelingQ:
    """Values in two parts."""

    units: int = param(default=64, ge=1, doc="width")


@component("head", "policy", provides="discrete-policy")
@attrs.frozen(kw_only=True)
class Policy:
    """Chances."""


@component("head", "value", provides="state-value")
@attrs.frozen(kw_only=True)
class Value:
    """One value."""

    units: int = param(default=64, ge=1, doc="width")


@component("exploration", "greedy")
@attrs.frozen(kw_only=True)
class Greedy:
    """The best."""


@component("exploration", "e-greedy", aliases=("EGreedy",))
@attrs.frozen(kw_only=True)
class EGreedy:
    """Now and then any."""

    epsilon: Schedule = param(factory=lambda: Linear(start=1.0, end=0.05, steps=100), ge=0, le=1, doc="how often")
    evaluation: float = param(default=0.0, ge=0, le=1, doc="how often in evaluation")


@component("exploration", "noisy")
@attrs.frozen(kw_only=True)
class Noisy:
    """The best and some noise."""

    sigma: Schedule = param(gt=0, doc="how much noise")
    low: float | tuple[float, ...] = param(default=-1.0, doc="lowest action")
    epsilon: float = param(default=0.1, ge=0, le=1, doc="something else")


@component("memory", "replay", aliases=("ExperienceReplay",), orders=["any"], fresh=False, renamed={"size": "capacity"})
@attrs.frozen(kw_only=True)
class Replay:
    """All that happened."""

    capacity: int = param(default=100_000, ge=1, doc="transitions kept")
    age: Duration | None = param(default=None, type="duration", doc="how old they may be")
    split: tuple[int, ...] = param(default=(), ge=1, doc="shares")

    def __attrs_post_init__(self) -> None:
        if len(self.split) > 2:
            raise BadSetting("more than two shares", where="split")


@component("memory", "rollout", orders=["sequence", "episode"], fresh=True)
@attrs.frozen(kw_only=True)
class Rollout:
    """What just happened."""

    length: int = param(default=16, ge=1, doc="steps")


@component("filter", "scaling", acts_on="observation")
@attrs.frozen(kw_only=True)
class Scaling:
    """Times a factor."""

    factor: float | tuple[float, ...] = param(default=1.0, doc="times what")


@component("filter", "rescale", acts_on="reward")
@attrs.frozen(kw_only=True)
class Rescale:
    """Times a factor."""

    factor: float = param(doc="times what")


@component("filter", "clipping", acts_on=["observation", "reward"])
@attrs.frozen(kw_only=True)
class Clipping:
    """Between two bounds."""

    high: float = param(default=1.0, doc="upper bound")


@component("filter", "masking", acts_on="action")
@attrs.frozen(kw_only=True)
class Masking:
    """A part of the box."""


@component("engine", "tensorflow")
@attrs.frozen(kw_only=True)
class Engine:
    """Computes."""

    threads: int = param(default=1, ge=1, doc="how many at once")


@component("engine", "other")
@attrs.frozen(kw_only=True)
class OtherEngine:
    """Computes too."""


@component("recorder", "jsonl")
@attrs.frozen(kw_only=True)
class Jsonl:
    """Lines."""


@component("recorder", "terminal")
@attrs.frozen(kw_only=True)
class Terminal:
    """Shown."""

    every: Duration = param(default="1_000 steps", type="duration", doc="how often")


@component("recorder", "csv")
@attrs.frozen(kw_only=True)
class Csv:
    """Columns."""

    separator: str = param(default=",", doc="between columns")


class Toys:
    """A plugin that offers all of these, and two presets."""

    coach_schedules = hookimpl(lambda self: (Linear, Piecewise, Wave), specname="coach_schedules")
    coach_environments = hookimpl(lambda self: (Track,), specname="coach_environments")
    coach_agents = hookimpl(lambda self: (Chooser, Walker), specname="coach_agents")
    coach_embedders = hookimpl(lambda self: (Vector,), specname="coach_embedders")
    coach_middlewares = hookimpl(lambda self: (Dense,), specname="coach_middlewares")
    coach_heads = hookimpl(lambda self: (Q, DuelingQ, Policy, Value), specname="coach_heads")
    coach_exploration = hookimpl(lambda self: (Greedy, EGreedy, Noisy), specname="coach_exploration_policies")
    coach_memories = hookimpl(lambda self: (Replay, Rollout), specname="coach_memories")
    coach_filters = hookimpl(lambda self: (Scaling, Rescale, Clipping, Masking), specname="coach_filters")
    coach_engines = hookimpl(lambda self: (Engine, OtherEngine), specname="coach_engines")
    coach_recorders = hookimpl(lambda self: (Jsonl, Terminal, Csv), specname="coach_recorders")
    coach_presets = hookimpl(lambda self: (PRESETS,), specname="coach_presets")


@component("layer", "thick", aliases=("Thick",))
@attrs.frozen(kw_only=True)
class Thick:
    """Many units."""

    units: int = param(ge=1, doc="width")
    slope: float = param(default=0.5, doc="how steep")


@component("layer", "drop")
@attrs.frozen(kw_only=True)
class Drop:
    """Some fall."""

    rate: float = param(default=0.1, ge=0, lt=1, doc="how many")


@component("middleware", "stack")
@attrs.frozen(kw_only=True)
class Stack:
    """Layers, by name or one by one."""

    scheme: Any = param(
        default="medium", type="str | int[] | layer[]", choices=("empty", "medium"), ge=1, doc="which layers"
    )


@component("middleware", "lstm", recurrent=True)
@attrs.frozen(kw_only=True)
class Lstm:
    """Remembers."""


@component("head", "point", provides="deterministic-policy")
@attrs.frozen(kw_only=True)
class Point:
    """One action."""


@component("head", "bell", provides="gaussian-policy")
@attrs.frozen(kw_only=True)
class Bell:
    """A mean and a deviation."""


@component("head", "pair", provides="critics")
@attrs.frozen(kw_only=True)
class Pair:
    """Two values."""


@component(
    "agent",
    "duo",
    slots={"actor": {"policy": "deterministic-policy"}, "critic": {"q": "critics"}},
    inputs={"critic": ["action"]},
    free=["temperature"],
    actions="unit-box",
    defaults={
        "actor": _TORSO | {"heads": {"policy": {"use": "point"}}},
        "critic": {
            "embedders": {"observation": {"use": "vector"}, "action": {"use": "vector", "scheme": "empty"}},
            "middleware": {"use": "stack"},
            "heads": {"q": {"use": "pair"}},
        },
    },
)
@attrs.frozen(kw_only=True)
class Duo:
    """Acts and judges."""


@component("agent", "trio", slots={"critic": {"v": "state-value"}, "third": {}}, defaults={"critic": _TORSO})
@attrs.frozen(kw_only=True)
class Trio:
    """Judges otherwise."""


@component(
    "agent",
    "either",
    slots={"policy": ["discrete-policy", "gaussian-policy"], "value": "state-value"},
    defaults=_WALKER,
    actions=["discrete", "box"],
)
@attrs.frozen(kw_only=True)
class Either:
    """Acts among some or in a box."""


@component("exploration", "dice", actions="discrete")
@attrs.frozen(kw_only=True)
class Dice:
    """Any of some."""


@component("exploration", "drift", actions=["box"])
@attrs.frozen(kw_only=True)
class Drift:
    """Somewhere near."""


@component("memory", "whole", orders=["any", "sequence"], fresh=False)
@attrs.frozen(kw_only=True)
class Whole:
    """All that happened, in its order."""

    capacity: int = param(default=100_000, ge=1, doc="transitions kept")


class MoreToys:
    """Agents with several networks, layers, recurrent networks, and what goes with them."""

    coach_layers = hookimpl(lambda self: (Thick, Drop), specname="coach_layers")
    coach_agents = hookimpl(lambda self: (Duo, Trio, Either), specname="coach_agents")
    coach_middlewares = hookimpl(lambda self: (Stack, Lstm), specname="coach_middlewares")
    coach_heads = hookimpl(lambda self: (Point, Bell, Pair), specname="coach_heads")
    coach_exploration = hookimpl(lambda self: (Dice, Drift), specname="coach_exploration_policies")
    coach_memories = hookimpl(lambda self: (Whole,), specname="coach_memories")


def registry(*more: object) -> Registry:
    """A registry that knows these parts, those of `more` plugins, and no installed ones."""
    made = Registry(paths=[])
    made.register(Toys(), "toys")
    for number, plugin in enumerate(more):
        made.register(plugin, f"more-{number}")
    return made
