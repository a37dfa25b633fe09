"""Straight lines, by hand and as laws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_schedules import Linear
from coachcore.api import BadSetting

numbers = st.floats(-1e6, 1e6)


def test_upwards():
    up = Linear(start=1, end=3, steps=10)
    assert [up(step) for step in range(12)] == pytest.approx([1, 1.2, 1.4, 1.6, 1.8, 2, 2.2, 2.4, 2.6, 2.8, 3, 3])


def test_downwards():
    down = Linear(start=3, end=1, steps=4)
    assert [down(step) for step in range(6)] == [3, 2.5, 2, 1.5, 1, 1]


def test_a_length_below_one_is_refused():
    with pytest.raises(BadSetting, match="steps: 0 is out of range - must be >= 1"):
        Linear(start=1, end=0, steps=0)


@given(numbers, numbers, st.integers(1, 10**9), st.floats(0, 1e12))
def test_it_stays_between_its_ends_and_arrives(start, end, steps, step):
    line = Linear(start=start, end=end, steps=steps)
    slack = 1e-9 * (abs(start) + abs(end))
    assert min(start, end) - slack <= line(step) <= max(start, end) + slack
    assert line(0) == start
    assert line(steps) == end
