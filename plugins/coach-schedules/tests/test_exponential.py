"""Powers, by hand and against a loop that multiplies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_schedules import Exponential
from coachcore.api import BadSetting


def test_by_hand():
    assert [Exponential(start=8, end=1, factor=0.5)(step) for step in range(6)] == [8, 4, 2, 1, 1, 1]
    assert [Exponential(start=1, end=5, factor=2)(step) for step in range(5)] == [1, 2, 4, 5, 5]
    assert [Exponential(start=-1, end=-5, factor=2)(step) for step in range(5)] == [-1, -2, -4, -5, -5]


def test_zero_is_approached():
    halves = Exponential(start=1, end=0, factor=0.5)
    assert halves(10) == 1 / 1024
    assert halves(10_000) == 0


def test_a_start_at_the_end_stays():
    assert Exponential(start=2, end=2, factor=0.5)(7) == 2


@given(st.floats(0.9, 0.999), st.floats(0.01, 0.9), st.integers(0, 300))
def test_it_is_the_loop_that_multiplies(factor, end, steps):
    value = 1.0
    for _ in range(steps):
        value = max(value * factor, end)
    assert Exponential(start=1.0, end=end, factor=factor)(steps) == pytest.approx(value)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"start": 1, "end": 3, "factor": 0.9}, "factor: a factor of 0.9 leads from 1 away from 3 - use one above 1"),
        ({"start": 3, "end": 1, "factor": 1.1}, "factor: a factor of 1.1 leads from 3 away from 1 - use one below 1"),
        ({"start": 3, "end": 1, "factor": 1.0}, "factor: .* use one below 1"),
        ({"start": 1, "end": 3, "factor": 1.0}, "factor: .* use one above 1"),
        ({"start": 1, "end": -1, "factor": 0.9}, "start: multiplying 1 never leads to -1"),
        ({"start": 0, "end": 1, "factor": 2.0}, "start: multiplying 0 never leads to 1"),
        ({"start": 1, "end": 0, "factor": 0.0}, "factor: 0.0 is out of range - must be > 0"),
        ({"start": 1, "end": float("inf"), "factor": 2.0}, "end: inf is not a finite number"),
    ],
)
def test_ways_that_lead_nowhere_are_refused(settings, said):
    with pytest.raises(BadSetting, match=said):
        Exponential(**settings)
