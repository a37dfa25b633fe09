"""Durations and counters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore.clock import UNITS, Clock, Duration
from coachcore.errors import BadSetting


@pytest.mark.parametrize(
    ("text", "amount", "unit"),
    [
        ("10_000 steps", 10_000, "steps"),
        ("1 step", 1, "steps"),
        ("  7   episodes  ", 7, "episodes"),
        ("7episode", 7, "episodes"),
        ("100 updates", 100, "updates"),
        ("30 seconds", 30, "seconds"),
        ("0 steps", 0, "steps"),
        ("007 steps", 7, "steps"),
    ],
)
def test_good_durations(text, amount, unit):
    assert Duration.parse(text) == Duration(amount, unit)


@pytest.mark.parametrize(
    "text",
    ["", "steps", "10", "-5 steps", "1e3 steps", "10 000 steps", "10 steps or so", "1. steps", "_1 steps",
     "10 Steps", "٣ steps", "9" * 5_000 + " steps", 10, 1.5, None, ["10 steps"]],
)  # fmt: skip
def test_what_is_no_duration(text):
    with pytest.raises(BadSetting, match='expected a duration such as "10_000 steps", got'):
        Duration.parse(text)


@pytest.mark.parametrize("unit", ["minutes", "s", "stepss", "epochs"])
def test_unknown_units(unit):
    with pytest.raises(
        BadSetting, match=f"'{unit}' is not a unit of time here; use one of steps, episodes, updates, s"
    ):
        Duration.parse(f"3 {unit}")


def test_whole_numbers_only():
    with pytest.raises(BadSetting, match=r"a duration is a whole number of steps, got 1\.5"):
        Duration.parse("1.5 steps")


@given(st.integers(0, 10**18), st.sampled_from(UNITS))
def test_text_and_back(amount, unit):
    duration = Duration(amount, unit)
    assert Duration.parse(str(duration)) == duration


def test_a_duration_passes_through():
    duration = Duration(3, "steps")
    assert Duration.parse(duration) is duration
    assert str(Duration(1_234_567, "steps")) == "1_234_567 steps"


def test_counts():
    clock = Clock(steps=10, heatup_steps=4, episodes=3, updates=2, train_calls=1)
    assert clock.training_steps == 6
    assert [clock.count(unit) for unit in ("steps", "episodes", "updates")] == [10, 3, 2]


def test_now_is_a_number_that_knows_the_other_counts():
    now = Clock(steps=10, heatup_steps=4, episodes=3, heatup_episodes=2, updates=7).now
    assert (now, now.episodes, now.updates) == (6, 1, 7)
    assert type(now - 1) is int
    assert (Clock().now, Clock().now.episodes, Clock().now.updates) == (0, 0, 0)


@pytest.mark.parametrize("unit", ["seconds", "moons"])
def test_what_a_run_cannot_count(unit):
    with pytest.raises(BadSetting, match=f"'{unit}' cannot be counted inside a run; use steps, episodes or updates"):
        Clock().count(unit)
