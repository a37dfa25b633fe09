"""Examples of parts: at defaults, from presets, from sample values; and what is said where none can be made."""

from __future__ import annotations

import attrs
import pytest

from coachcore.component import component, param
from coachcore.errors import BadSetting, CoachError
from coachcore.presets.writer import dump
from coachcore.registry.hookspecs import hookimpl
from coachcore.registry.registry import Registry
from coachcore.settings import LearnerSettings
from coachcore.spaces import Box, Discrete
from coachcore.specs import KINDS, ParamSpec
from coachcore.testing.examples import (
    examples,
    parts_in,
    preset_parts,
    problem_for,
    sample_number,
    spaces_with,
)
from coachcore.testing.made_up import made_up
from coachcore.testing.toy_learning import ToyQ
from coachcore.testing.toy_plugin import ToyPlugin, toy_preset
from coachcore.testing.toys import ToyEGreedy, ToyRing


@component("filter", "bounded", acts_on="reward")
@attrs.frozen(kw_only=True)
class Bounded:
    """Every type of setting there is, none with a default."""

    share: float = param(doc="a share", ge=0, lt=1)
    count: int = param(doc="a count", ge=1)
    below: float = param(doc="anything below", lt=0)
    free: float = param(doc="any number")
    flag: bool = param(doc="yes or no")
    name: str = param(doc="any word")
    colour: str = param(doc="a colour", choices=("red", "blue"))
    edges: tuple[float, ...] = param(doc="two ascending numbers")
    every: object = param(doc="a while", type="duration", choices=("episodes",))
    table: dict[str, int] = param(doc="anything by name")
    rate: object = param(doc="may change", type="schedule")
    store: object = param(doc="a memory", type="memory")

    def __attrs_post_init__(self):
        if len(self.edges) != 2 or self.edges[0] >= self.edges[1]:
            raise BadSetting(f"two ascending edges are needed, got {self.edges}")


@component("filter", "either", acts_on="reward")
@attrs.frozen(kw_only=True)
class Either:
    """Its defaults do not go together: one bound must be given."""

    low: float | None = param(default=None, doc="lower bound")
    high: float | None = param(default=None, doc="upper bound")

    def __attrs_post_init__(self):
        if self.low is None or self.high is None or self.low >= self.high:
            raise ValueError("give low and high")


@component("filter", "impossible", acts_on="reward")
@attrs.frozen(kw_only=True)
class Impossible:
    """Refuses everything."""

    def __attrs_post_init__(self):
        raise BadSetting("never")


@component("filter", "nested", acts_on="reward")
@attrs.frozen(kw_only=True)
class Nested:
    """Holds another filter, never itself."""

    inner: object = param(doc="another", type="filter")


@component("memory", "only-so", orders=["any"], fresh=False, weighted=False)
@attrs.frozen(kw_only=True)
class OnlySo:
    """Can be made with the capacity that a preset gives it, and no other."""

    capacity: int = param(doc="transitions kept", ge=1)

    def __attrs_post_init__(self):
        if self.capacity != 123:
            raise BadSetting("123 it must be")

    def make(self, layout, count):
        return ToyRing(capacity=123).make(layout, count)


class Plugin:
    """Parts and a folder of presets."""

    def __init__(self, filters=(), memories=(), presets=()):
        self.filters, self.memories, self.presets = filters, memories, presets

    @hookimpl
    def coach_filters(self):
        return self.filters

    @hookimpl
    def coach_memories(self):
        return self.memories

    @hookimpl
    def coach_presets(self):
        return self.presets


@pytest.fixture
def registry(tmp_path):
    """The toys alone, whatever is installed."""
    (tmp_path / "nothing").mkdir()
    registry = Registry([str(tmp_path / "nothing")])
    registry.register(ToyPlugin(), "toys")
    return registry


def test_every_toy_is_made_at_its_defaults(registry):
    made = [one for kind in KINDS for one in examples(registry, kind)]
    assert {one.id for one in made} >= {"toys/environment:toy-signs", "toys/agent:toy-q", "toys/memory:toy-ring"}
    assert len(made) == 9
    assert not [one for one in made if one.trouble]
    assert examples(registry, "exploration")[0].part == ToyEGreedy()


def test_sample_values_fit_type_bounds_and_choices(registry):
    registry.register(Plugin([Bounded]), "odd")
    (made,) = examples(registry, "filter")
    part = made.part
    assert (made.id, made.trouble) == ("odd/filter:bounded", "")
    assert 0 <= part.share < 1
    assert (part.count, part.flag, part.name, part.colour, part.table) == (3, True, "example", "red", {})
    assert part.below < 0
    assert len(part.edges) == 2
    assert str(part.every) == "10 episodes"
    assert isinstance(part.rate(0), float)
    assert part.store == ToyRing()


def test_defaults_that_do_not_go_together_are_replaced(registry):
    registry.register(Plugin([Either]), "odd")
    (made,) = examples(registry, "filter")
    assert made.part.low < made.part.high


def test_a_part_that_cannot_be_made_is_reported(registry):
    registry.register(Plugin([Impossible]), "odd")
    (made,) = examples(registry, "filter")
    assert made.part is None
    assert made.trouble == ("no example could be made of it (BadSetting: never) - give settings defaults, or a preset")


def test_a_part_that_cannot_be_imported_is_reported(tmp_path):
    made_up(tmp_path, "acme", points={"plus": "acme:Plus"}, code="raise RuntimeError('not today')")
    (made,) = examples(Registry([str(tmp_path)]), "filter")
    assert (made.id, made.part) == ("acme/filter:plus", None)
    assert "acme/filter:plus: " in made.trouble


def test_a_part_lies_in_another_but_not_in_itself(registry):
    registry.register(Plugin([Nested]), "odd")
    assert examples(registry, "filter")[0].part.inner is None
    registry.register(Plugin([Either]), "odder")
    found = {one.id: one.part for one in examples(registry, "filter")}
    assert isinstance(found["odd/filter:nested"].inner, Either)


def test_settings_are_found_in_presets(registry, tmp_path):
    registry.register(Plugin((), [OnlySo]), "odd")
    (made,) = (one for one in examples(registry, "memory") if one.id == "odd/memory:only-so")
    assert "123 it must be" in made.trouble
    (tmp_path / "good.toml").write_text(dump(toy_preset(memory={"use": "only-so", "capacity": 123})))
    (tmp_path / "broken.toml").write_text("coach = 1")
    registry.register(Plugin(presets=[str(tmp_path)]), "shelf")
    (made,) = (one for one in examples(registry, "memory") if one.id == "odd/memory:only-so")
    assert made.part == OnlySo(capacity=123)
    assert ToyQ() in list(preset_parts(registry))


def test_parts_are_found_wherever_they_lie():
    inside = {"a": [ToyRing(), (ToyEGreedy(epsilon=0.5),)], "b": LearnerSettings(), "c": 3}
    assert list(parts_in(inside)) == [ToyRing(), ToyEGreedy(epsilon=0.5)]


@pytest.mark.parametrize(
    ("bounds", "number"),
    [
        ({"ge": 0, "le": 1}, 0.5),
        ({"gt": 2, "lt": 4}, 3.0),
        ({"ge": 10}, 11.0),
        ({"gt": 10}, 11.0),
        ({"le": -3}, -3.75),
        ({}, 0.5),
    ],
)
def test_a_sample_number_lies_within_its_bounds(bounds, number):
    assert sample_number(ParamSpec("x", "float", **bounds), 0, 1) == number


def test_later_numbers_are_greater():
    for bounds in ({}, {"ge": 0}, {"le": 0}, {"ge": 0, "le": 1}):
        spec = ParamSpec("x", "float", **bounds)
        numbers = [sample_number(spec, place, 4) for place in range(4)]
        assert numbers == sorted(set(numbers))


@component(
    "agent", "toy-ready", slots={"q": "action-values"}, executor="twin", defaults=toy_preset()["agent"]["network"]
)
@attrs.frozen(kw_only=True)
class Ready:
    """The toy agent with a network of its own."""

    inner: ToyQ = attrs.field(factory=ToyQ, init=False)

    @property
    def data(self):
        return self.inner.data

    def networks(self, spaces):
        return self.inner.networks(spaces)


def test_a_problem_is_what_the_agent_chose(registry):
    spaces, settings = spaces_with(Box((3,)), Discrete(2)), LearnerSettings(batch_size=4)
    problem = problem_for(registry, Ready(), spaces, settings)
    plan = problem.networks["main"]
    assert [part.__coach__.name for part in (plan.embedders["observation"], plan.middleware, plan.heads["q"])] == [
        "toy-as-it-is",
        "toy-nothing",
        "toy-values",
    ]
    assert (problem.spaces, problem.settings, problem.executor) == (spaces, settings, "twin")
    assert problem.layout.width == 9


def test_an_agent_without_a_network_of_its_own_gives_no_problem(registry):
    with pytest.raises(CoachError, match=r"toy-q: the agent has no network of its own in @component"):
        problem_for(registry, ToyQ(), spaces_with(Box((3,)), Discrete(2)), LearnerSettings())
