"""An example of every installed part, so that a plugin is held to the suites by being installed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any, NamedTuple

import attrs

from coachcore.component import spec_of
from coachcore.contracts.agent import NetworkPlan, NetworkSpec
from coachcore.contracts.engine import Problem
from coachcore.contracts.experiment import Experiment
from coachcore.errors import CoachError
from coachcore.layout import Layout
from coachcore.presets.build import build
from coachcore.presets.preset import load_preset
from coachcore.registry.registry import Registry
from coachcore.settings import LearnerSettings, NetworkSettings
from coachcore.spaces import Space, Spaces
from coachcore.specs import KINDS, ParamSpec

LENGTHS = (1, 2, 3)
"""How long the lists are that are tried where a setting is one."""
TRIES = 60
FAULTS = (CoachError, ValueError, TypeError, ArithmeticError, LookupError, AttributeError)
"""What a part may raise at settings that make no sense together."""


class Example(NamedTuple):
    """A part made for testing, by its full id; `part` is None where none could be made, and `trouble` says why."""

    id: str
    part: Any
    trouble: str = ""


def installed() -> Registry:
    """What is installed here, read anew."""
    return Registry()


def examples(registry: Registry, kind: str) -> list[Example]:
    """One example of every usable part of a kind.

    At its defaults where every setting has one and they go together, else as an
    installed preset has it, else with sample values that follow from the type,
    the bounds and the choices of each setting.
    """
    usable = (entry for entry in registry.entries(kind) if entry.state in ("ok", "clash"))
    return [_example(registry, kind, entry.id, ()) for entry in usable]


def example(registry: Registry, kind: str, part_id: str) -> Example:
    """One part made for testing, as `examples` makes them; `part_id` as `Registry.resolve` takes it."""
    return _example(registry, kind, registry.resolve(kind, part_id).id, ())


def parts_in(value: Any) -> Iterator[Any]:
    """Every part inside a built experiment, or inside any attrs object, mapping or list, depth first."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from parts_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from parts_in(item)
    elif attrs.has(type(value)):
        if hasattr(value, "__coach__"):
            yield value
        for field in attrs.fields(type(value)):
            yield from parts_in(getattr(value, field.name))


def preset_parts(registry: Registry) -> Iterator[Any]:
    """Every part of every installed preset that can be built here."""
    for name in registry.presets():
        try:
            experiment: Experiment = build(load_preset(name, registry=registry), registry)
        except CoachError:
            continue  # it needs a part that is not installed; the checker's tests say so
        yield from parts_in(experiment)


def problem_for(registry: Registry, agent: Any, spaces: Spaces, settings: LearnerSettings) -> Problem:
    """The agent's own choice of networks over `spaces`, as an engine is given it; raises `CoachError` for none.

    One embedder of the kind it chose serves every observation; where its head does
    not fit the actions, another one that is installed does.
    """
    facts = spec_of(agent).facts
    defaults: Mapping[str, Any] = facts.get("defaults") or {}
    specs = agent.networks(spaces)
    tables = {"main": defaults} if set(specs) == {"main"} else defaults
    plans = {
        name: NetworkPlan(spec=spec) if spec.free else _plan(registry, agent, tables.get(name, {}), spec, spaces)
        for name, spec in specs.items()
    }
    data = agent.data(spaces)
    return Problem(
        agent=agent,
        networks=plans,
        spaces=spaces,
        layout=Layout.of(spaces, data.keep + data.drawn, fresh=data.fresh),
        settings=settings,
        executor=facts.get("executor", "small"),
    )


def _plan(registry: Registry, agent: Any, tables: Mapping[str, Any], spec: NetworkSpec, spaces: Spaces) -> NetworkPlan:
    if not {"embedders", "middleware", "heads"} <= set(tables):
        raise CoachError("the agent has no network of its own in @component(defaults=...)", where=spec_of(agent).name)
    chosen = next(iter(tables["embedders"].values()))
    inputs = (*spaces.observation, *spec.inputs)
    parts = {"embedders", "middleware", "heads"}
    return NetworkPlan(
        spec=spec,
        embedders={name: _made(registry, "embedder", tables["embedders"].get(name, chosen)) for name in inputs},
        middleware=_made(registry, "middleware", tables["middleware"]),
        heads={slot: _head(registry, tables["heads"][slot], wanted) for slot, wanted in spec.slots.items()},
        settings=NetworkSettings(**{name: value for name, value in tables.items() if name not in parts}),
    )


def _head(registry: Registry, table: Mapping[str, Any], wanted: str) -> Any:
    """The head of `table` if it provides what is wanted, else the first installed one that does."""
    head = _made(registry, "head", table)
    if spec_of(head).facts.get("provides") == wanted:
        return head
    fitting = (one for one in registry.entries("head") if one.spec.facts.get("provides") == wanted)
    return _example(registry, "head", next(fitting).id, ()).part


def spaces_with(observation: Space, action: Space) -> Spaces:
    """One observation, called ``observation``."""
    return Spaces(observation={"observation": observation}, action=action)


def _made(registry: Registry, kind: str, table: Mapping[str, Any]) -> Any:
    given = {name: value for name, value in table.items() if name != "use"}
    return registry.load(kind, table["use"])(**given)


def _example(registry: Registry, kind: str, part_id: str, above: tuple[str, ...]) -> Example:
    try:
        cls = registry.load(kind, part_id)
        specs = registry.params(registry.resolve(kind, part_id))
    except CoachError as error:
        return Example(part_id, None, str(error))
    trouble = "a setting has no default"
    if not any(spec.required for spec in specs):
        try:
            return Example(part_id, cls())
        except FAULTS as error:
            trouble = f"{type(error).__name__}: {error}"
    for part in preset_parts(registry):
        if type(part) is cls:
            return Example(part_id, part)
    for given in islice(_samples(registry, specs, (*above, part_id)), TRIES):
        try:
            return Example(part_id, cls(**given))
        except FAULTS as error:
            trouble = f"{type(error).__name__}: {error}"
    return Example(part_id, None, f"no example could be made of it ({trouble}) - give settings defaults, or a preset")


def _samples(registry: Registry, specs: Sequence[ParamSpec], above: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Settings to try: the required ones, those and one more, all; lists of several lengths."""
    required, optional = ([spec for spec in specs if spec.required is wanted] for wanted in (True, False))
    for wanted in (required, *([*required, one] for one in optional), list(specs)):
        lists = [spec.name for spec in wanted if _first(spec).endswith("[]")]
        for lengths in product(LENGTHS, repeat=len(lists)):
            sizes = dict(zip(lists, lengths, strict=True))
            yield {
                spec.name: _value(registry, spec, (place, len(wanted)), above, sizes.get(spec.name))
                for place, spec in enumerate(wanted)
            }


def _value(
    registry: Registry, spec: ParamSpec, spot: tuple[int, int], above: tuple[str, ...], size: int | None = None
) -> Any:
    """A sample value of the first type that `spec` names; `spot` is its place among how many."""
    kind = _first(spec)
    if size is not None:
        single = spec._replace(type=kind.removesuffix("[]"))
        return tuple(_value(registry, single, (place, size), above) for place in range(size))
    if kind in ("float", "int", "schedule"):
        number = sample_number(spec, *spot)
        return math.ceil(number) if kind == "int" else number
    if kind == "bool":
        return True
    if kind == "duration":
        return f"10 {spec.choices[0] if spec.choices else 'steps'}"
    if kind == "table":
        return {}
    return _part(registry, kind, above) if kind in KINDS else spec.choices[0] if spec.choices else "example"


def _part(registry: Registry, kind: str, above: tuple[str, ...]) -> Any:
    """An example of another kind of part, other than those it would lie in."""
    ids = [entry.id for entry in registry.entries(kind) if entry.state == "ok" and entry.id not in above]
    made = (_example(registry, kind, part_id, above) for part_id in ids)
    return next((example.part for example in made if not example.trouble), None)


def sample_number(spec: ParamSpec, place: int, count: int) -> float:
    """A number within the bounds of `spec`; greater for a later `place` of `count`, so that low comes before high."""
    low = spec.gt if spec.ge is None else spec.ge
    high = spec.lt if spec.le is None else spec.le
    share = (place + 1) / (count + 1)
    if low is not None and high is not None:
        return low + (high - low) * share
    if low is not None:
        return low + 1.0 + place
    return share if high is None else high - 1.0 + share / 2


def _first(spec: ParamSpec) -> str:
    return spec.type.partition(" | ")[0]
