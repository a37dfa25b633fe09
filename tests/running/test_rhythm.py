"""Rhythm: due once a multiple passed, from the clock alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore.clock import Clock, Duration
from coachcore.running.rhythm import Every

UNITS = st.sampled_from(["steps", "episodes", "updates"])


def at(unit, count):
    return Clock(**{unit: count})


def test_due_once_a_multiple_by_hand():
    every = Every(Duration(10, "steps"), Clock())
    asked = [0, 9, 10, 10, 19, 20, 21, 45, 45, 50]
    assert [every.due(at("steps", count)) for count in asked] == [
        False, False, True, False, False, True, False, True, False, True,
    ]  # fmt: skip


def test_a_counter_that_leaps_over_several_multiples_is_due_once():
    every = Every(Duration(3, "updates"), Clock())
    assert [every.due(at("updates", 100)), every.due(at("updates", 101)), every.due(at("updates", 102))] == [
        True, False, True,
    ]  # fmt: skip


def test_nothing_is_due_where_a_run_starts_or_goes_on():
    for count in (0, 7, 10):
        assert not Every(Duration(10, "steps"), at("steps", count)).due(at("steps", count))


def test_zero_means_each_time():
    every = Every(Duration(0, "steps"), Clock())
    assert [every.due(at("steps", count)) for count in (0, 1, 2, 2)] == [False, True, True, False]


def test_seconds_are_not_counted_here():
    every = Every(Duration(1, "seconds"), Clock())
    assert not every.due(Clock(steps=10**6, episodes=10**6, updates=10**6))
    assert every.steps_left(Clock(), 77) == 77


@pytest.mark.parametrize(("unit", "left"), [("steps", 6), ("episodes", 1), ("updates", 500)])
def test_steps_left(unit, left):
    clock = at(unit, 4)
    assert Every(Duration(10, unit), clock).steps_left(clock, 500) == left


@given(st.integers(1, 20), UNITS, st.lists(st.integers(0, 30), min_size=1), st.integers(0, 30))
def test_a_resumed_rhythm_is_the_same(amount, unit, advances, stop):
    duration, clock = Duration(amount, unit), Clock()
    going, resumed = Every(duration, clock), None
    for index, advance in enumerate(advances):
        setattr(clock, unit, clock.count(unit) + advance)
        due = going.due(clock)
        if resumed is not None:
            assert resumed.due(clock) is due
        if index == stop % len(advances):
            resumed = Every(duration, clock)


@given(st.integers(1, 20), UNITS, st.lists(st.integers(0, 30)))
def test_it_is_due_when_the_number_of_whole_multiples_grew(amount, unit, advances):
    clock = Clock()
    every = Every(Duration(amount, unit), clock)
    for advance in advances:
        before = clock.count(unit) // amount
        setattr(clock, unit, clock.count(unit) + advance)
        assert every.due(clock) is (clock.count(unit) // amount > before)


@given(st.integers(1, 50), st.integers(0, 200))
def test_it_is_not_due_before_the_steps_left_are_over(amount, start):
    clock = at("steps", start)
    every = Every(Duration(amount, "steps"), clock)
    left = every.steps_left(clock, 10**6)
    assert 1 <= left <= amount
    assert not every.due(at("steps", start + left - 1))
    assert every.due(at("steps", start + left))
