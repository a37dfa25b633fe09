"""What a part is: settings checked when it is made, and readable as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore.clock import Duration
from coachcore.component import (
    Fixed,
    FloatOrVector,
    IntOrVector,
    ParamSpec,
    Schedule,
    complaint,
    component,
    param,
    params_of,
    plain,
    range_text,
    spec_of,
)
from coachcore.errors import BadSetting


def _even(_part: Any, field: Any, value: Any) -> None:
    if value % 2:
        raise BadSetting(f"{value} is odd", where=field.name)


@component("schedule", "toy-ramp", aliases=("ToyRamp",))
@attrs.frozen(kw_only=True)
class Ramp:
    """A ramp of a toy.

    What follows the first line is not the summary.
    """

    slope: float = param(default=1.0, doc="rise a step")

    def __call__(self, step: float) -> float:
        return self.slope * step


@component("filter", "toy", aliases=("Toy",), needs=("math",), stability="experimental", since="0.2", acts_on="reward")
@attrs.frozen(kw_only=True)
class Toy:
    """Every sort of setting."""

    rate: Schedule = param(doc="how fast", type="schedule", gt=0, le=1, default=0.5)
    count: int = param(doc="how many", ge=1, lt=10, check=_even)
    mode: str = param(doc="which way", choices=("soft", "hard"), default="soft")
    modes: tuple[str, ...] = param(doc="several ways", choices=("soft", "hard"), default=())
    low: FloatOrVector = param(doc="lower edge", ge=-1.0, default=0.0)
    steps: tuple[int, ...] = param(doc="where", default=(), unit="steps")
    every: Duration | None = param(doc="how often", type="duration", default=None)
    rates: Any = param(doc="one a piece", type="schedule[]", ge=0, factory=tuple)
    extra: Mapping[str, float] = param(doc="by name", factory=dict)
    hidden: int = attrs.field(default=3, init=False)


def test_the_spec_by_hand():
    spec = spec_of(Toy)
    assert spec == spec_of(Toy(count=2))
    assert spec[:2] == ("filter", "toy")
    assert spec.object == f"{__name__}:Toy"
    assert (spec.summary, spec.aliases, spec.since) == ("Every sort of setting.", ("Toy",), "0.2")
    assert (spec.stability, spec.needs, spec.facts) == ("experimental", ("math",), {"acts_on": "reward"})
    assert spec_of(Ramp).summary == "A ramp of a toy."
    assert spec.params == (
        ParamSpec("rate", "schedule", False, 0.5, "how fast", gt=0, le=1),
        ParamSpec("count", "int", True, None, "how many", ge=1, lt=10),
        ParamSpec("mode", "str", False, "soft", "which way", choices=("soft", "hard")),
        ParamSpec("modes", "str[]", False, [], "several ways", choices=("soft", "hard")),
        ParamSpec("low", "float | float[]", False, 0.0, "lower edge", ge=-1.0),
        ParamSpec("steps", "int[]", False, [], "where", unit="steps"),
        ParamSpec("every", "duration", False, None, "how often"),
        ParamSpec("rates", "schedule[]", False, [], "one a piece", ge=0),
        ParamSpec("extra", "table", False, {}, "by name"),
    )


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("count", 0, "count: 0 is out of range - must be >= 1 and < 10"),
        ("count", 10, "count: 10 is out of range - must be >= 1 and < 10"),
        ("count", 3, "count: 3 is odd"),
        ("rate", 0, "rate: 0.0 is out of range - must be > 0 and <= 1"),
        ("rate", 1.5, "rate: 1.5 is out of range - must be > 0 and <= 1"),
        ("rate", float("nan"), "rate: nan is out of range - must be > 0 and <= 1"),
        ("rate", "fast", "expected a number or a schedule, got 'fast'"),
        ("rate", True, "expected a number or a schedule, got True"),
        ("rates", [0.5, -1], "rates: -1.0 is out of range - must be >= 0"),
        ("mode", "sfot", "mode: 'sfot' is not a choice here - did you mean 'soft'? known: hard, soft"),
        ("modes", ["soft", "hrad"], "modes: 'hrad' is not a choice here - did you mean 'hard'? known: hard, soft"),
        ("low", [0.0, -2.0], "low: -2.0 is out of range - must be >= -1"),
        ("every", "3 moons", "'moons' is not a unit of time here; use one of steps, episodes, updates, seconds"),
    ],
)
def test_what_a_part_refuses(setting, value, words):
    with pytest.raises(BadSetting) as refused:
        Toy(**{"count": 2, setting: value})
    assert str(refused.value) == words


def test_bounds_are_inclusive_where_they_say_so():
    assert Toy(count=2, rate=1).rate == Fixed(1.0)
    assert Toy(count=2, low=-1.0).low == -1.0


def test_values_are_tidied():
    toy = Toy(count=2, low=[0.0, 1.0], rate=1, every="5 episodes", rates=[1, Ramp()])
    assert toy.low == (0.0, 1.0)
    assert toy.every == Duration(5, "episodes")
    assert toy.rates == (Fixed(1.0), Ramp())
    assert toy.rate(0) == toy.rate(1e9) == 1.0


def test_a_schedule_stays_as_it_is():
    ramp = Ramp(slope=2)
    assert Toy(count=2, rate=ramp).rate is ramp


def test_a_part_is_frozen():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Toy(count=2).count = 4


def _typed(annotation: Any, declared: str = "") -> str:
    cls = attrs.frozen(type("Part", (), {"__annotations__": {"x": annotation}, "x": param(doc="x", type=declared)}))
    return params_of(cls)[0].type


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        ("float", "float"), (float, "float"), ("int", "int"), ("bool", "bool"), (str, "str"),
        ("float | None", "float"), (float | None, "float"), ("None | int", "int"),
        ("tuple[float, ...]", "float[]"), (tuple[float, ...], "float[]"), ("tuple[tuple[int, ...], ...]", "int[][]"),
        ("tuple[str, ...] | None", "str[]"), ("float | int", "float | int"), ("int | int", "int"),
        ("float | tuple[float, ...]", "float | float[]"), (FloatOrVector, "float | float[]"),
        ("FloatOrVector", "float | float[]"), ("IntOrVector", "int | int[]"), (IntOrVector, "int | int[]"),
        ("Schedule", "schedule"), ("Duration", "duration"), ("Duration | None", "duration"),
        ("Mapping[str, float]", "table"), (Mapping[str, float], "table"), ("dict[str, int]", "table"),
    ],
)  # fmt: skip
def test_annotations_and_their_toml_types(annotation, name):
    assert _typed(annotation) == name


@pytest.mark.parametrize(
    "annotation", ["list[int]", "Any", "object", "Optional[int]", "set[str]", "tuple[int, int]", None]
)
def test_annotations_that_mean_nothing_in_toml(annotation):
    with pytest.raises(BadSetting, match=r"a setting cannot be annotated .*use float, int, bool, str, a tuple"):
        _typed(annotation)


@pytest.mark.parametrize("annotation", ["Any", "list[int]", None])
def test_a_declared_type_wins(annotation):
    assert _typed(annotation, "schedule") == "schedule"


def test_unknown_kinds_are_refused():
    with pytest.raises(BadSetting, match="there is no kind of part called 'filtre' - did you mean 'filter'"):
        component("filtre", "x")


def test_a_class_that_is_not_attrs_is_refused():
    with pytest.raises(BadSetting, match=r"Plain must be an attrs class: put @attrs.frozen\(kw_only=True\) below"):

        @component("filter", "plain")
        class Plain:
            """No settings."""


@pytest.mark.parametrize("thing", [3, object(), int, None])
def test_what_is_no_part_has_no_spec(thing):
    with pytest.raises(BadSetting, match="is not a part: it lacks @component"):
        spec_of(thing)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, None),
        (True, True),
        ((1, (2.5, "x")), [1, [2.5, "x"]]),
        ({"a": (1,)}, {"a": [1]}),
        (Fixed(0.5), 0.5),
        (Duration(10_000, "steps"), "10_000 steps"),
        (Ramp(slope=2), {"use": "toy-ramp", "slope": 2}),
        (np.float64(0.5), 0.5),
    ],
)
def test_plain_by_hand(value, said):
    assert plain(value) == said


def test_plain_of_a_part_leaves_out_what_is_not_set():
    toy = Toy(count=2, rate=Ramp(), extra={"a": 1.0})
    assert plain(toy) == {
        "use": "toy", "rate": {"use": "toy-ramp", "slope": 1.0}, "count": 2, "mode": "soft", "modes": [],
        "low": 0.0, "steps": [], "rates": [], "extra": {"a": 1.0},
    }  # fmt: skip


def test_plain_of_settings_names_no_part():
    @attrs.frozen
    class Section:
        every: Duration = Duration(1, "steps")
        hidden: int = attrs.field(default=1, init=False)

    assert plain(Section()) == {"every": "1 steps"}


@given(st.floats(0.01, 1.0), st.sampled_from([2, 4, 6, 8]), st.lists(st.floats(-1, 1), min_size=1))
def test_a_part_is_made_again_from_its_plain_form(rate, count, low):
    toy = Toy(rate=rate, count=count, low=low)
    settings = plain(toy)
    assert settings.pop("use") == "toy"
    assert Toy(**settings) == toy


@pytest.mark.parametrize(
    ("facts", "words"),
    [({}, ""), ({"gt": 0}, "> 0"), ({"le": 1, "gt": 0}, "> 0 and <= 1"), ({"ge": 1, "lt": 2.5}, ">= 1 and < 2.5")],
)
def test_ranges_in_words(facts, words):
    assert range_text(facts) == words


SIGNS = {"ge": lambda v, b: v >= b, "gt": lambda v, b: v > b, "le": lambda v, b: v <= b, "lt": lambda v, b: v < b}


@given(st.floats(-3, 3), st.dictionaries(st.sampled_from(sorted(SIGNS)), st.integers(-2, 2)))
def test_a_complaint_is_made_when_a_bound_is_passed(value, bounds):
    fits = all(SIGNS[key](value, bound) for key, bound in bounds.items())
    assert (complaint(value, bounds) == "") is fits


@pytest.mark.parametrize("value", [True, "text", None, {"use": "x"}])
def test_only_numbers_are_held_against_bounds(value):
    assert complaint(value, {"gt": 10}) == ""


def test_a_schedule_may_be_left_out_only_where_its_default_says_so():
    @component("filter", "toy-pace")
    @attrs.frozen(kw_only=True)
    class Pace:
        pace: Any = param(default=None, type="schedule", ge=0, doc="how fast; left out: not at all")

    assert Pace().pace is None
    assert Pace(pace=2).pace == Fixed(2.0)
    with pytest.raises(BadSetting, match=r"pace: -1\.0 is out of range"):
        Pace(pace=-1)
    with pytest.raises(BadSetting, match="expected a number or a schedule, got None"):
        Toy(count=2, rate=None)
