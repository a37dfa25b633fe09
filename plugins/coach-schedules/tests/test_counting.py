"""Schedules that go by steps, episodes or updates: alone and in pieces."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_schedules import Constant, Exponential, Linear, Piecewise
from coachcore.api import BadSetting, Clock

NOW = Clock(steps=1_500, heatup_steps=500, episodes=44, heatup_episodes=4, updates=3).now
INFINITE = "is not a finite number - give an ordinary one"
WHOLE = "to the whole, its pieces count what it counts"
KINDS = {
    "linear": lambda per: Linear(start=0.0, end=100.0, steps=100, per=per),
    "exponential": lambda per: Exponential(start=1.0, end=0.0, factor=0.5, per=per),
    "piecewise": lambda per: Piecewise(
        schedules=(7, Linear(start=1, end=0, steps=10), Exponential(start=4, end=1, factor=0.5)), steps=(3, 30), per=per
    ),
}


def test_by_hand():
    assert [KINDS["linear"](per)(NOW) for per in ("steps", "episodes", "updates")] == [100.0, 40.0, 3.0]
    assert [KINDS["exponential"](per)(NOW) for per in ("episodes", "updates")] == [0.5**40, 0.125]
    assert [KINDS["piecewise"](per)(NOW) for per in ("steps", "episodes", "updates")] == [1.0, 1.0, 1.0]
    assert KINDS["piecewise"]("episodes")(Clock(episodes=34).now) == 2.0


@given(
    st.sampled_from(sorted(KINDS)),
    st.sampled_from(["steps", "episodes", "updates"]),
    st.lists(st.integers(0, 60), min_size=3, max_size=3),
)
def test_it_is_the_schedule_of_steps_at_that_count(kind, per, counts):
    """Slow twin: a schedule of steps asked with the count; plain numbers count whatever is asked for."""
    steps, episodes, updates = counts
    now = Clock(steps=steps, episodes=episodes, updates=updates).now
    plain = {"steps": steps, "episodes": episodes, "updates": updates}[per]
    assert KINDS[kind](per)(now) == KINDS[kind]("steps")(plain) == KINDS[kind](per)(plain)


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
    st.lists(st.integers(1, 9), min_size=1, max_size=3),
    st.integers(0, 80),
)
def test_pieces_of_pieces_are_the_pieces_in_a_row(outer, inner, step):
    """A piecewise schedule inside another counts on from where its turn began."""
    nested = Piecewise(schedules=tuple(range(len(inner) + 1)), steps=tuple(inner), per="episodes")
    whole = Piecewise(schedules=(*(100 + i for i in range(len(outer))), nested), steps=tuple(outer), per="episodes")
    row = Piecewise(
        schedules=(*(100 + i for i in range(len(outer))), *range(len(inner) + 1)),
        steps=(*outer, *inner),
        per="episodes",
    )
    assert whole(Clock(episodes=step).now) == row(step)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Linear(start=1, end=0, steps=0), "steps: 0 is out of range - must be >= 1"),
        (lambda: Linear(start=1, end=0, steps=-5), "steps: -5 is out of range - must be >= 1"),
        (lambda: Linear(start=math.nan, end=0, steps=1), "start: nan is not a finite number - give an ordinary one"),
        (lambda: Linear(start=1, end=math.inf, steps=1), "end: inf is not a finite number - give an ordinary one"),
        (
            lambda: Linear(start=1, end=0, steps=1, per="episode"),
            "per: 'episode' is not a choice here - did you mean 'episodes'? known: episodes, steps, updates",
        ),
        (
            lambda: Exponential(start=1, end=0, factor=0.5, per="seconds"),
            "per: 'seconds' is not a choice here - did you mean 'steps'? known: episodes, steps, updates",
        ),
        (lambda: Exponential(start=1, end=0, factor=-0.5), "factor: -0.5 is out of range - must be > 0"),
        (lambda: Exponential(start=1, end=0, factor=math.inf), f"factor: inf {INFINITE}"),
        (lambda: Exponential(start=1, end=0, factor=math.nan), "factor: nan is out of range - must be > 0"),
        (
            lambda: Exponential(start=1, end=0, factor=2),
            "factor: a factor of 2 leads from 1 away from 0 - use one below 1",
        ),
        (
            lambda: Exponential(start=0, end=1, factor=2),
            "start: multiplying 0 never leads to 1 - start off 0, on the side of the end",
        ),
        (lambda: Constant(value=-math.inf), "value: -inf is not a finite number - give an ordinary one"),
        (
            lambda: Piecewise(schedules=(1, 2)),
            "steps: 2 pieces need 1 lengths, got 0 - every piece but the last has one",
        ),
        (lambda: Piecewise(schedules=()), "schedules: there are no pieces - give one or more"),
        (lambda: Piecewise(schedules=(1, 2), steps=(0,)), "steps: 0 is out of range - must be >= 1"),
        (lambda: Piecewise(schedules=(True,)), "expected a number or a schedule, got True"),
        (lambda: Piecewise(schedules=("fast",)), "expected a number or a schedule, got 'fast'"),
        (
            lambda: Piecewise(schedules=(1, KINDS["linear"]("episodes")), steps=(5,)),
            f'schedules: piece 1 goes by episodes, the whole by steps - give per = "episodes" {WHOLE}',
        ),
        (
            lambda: Piecewise(schedules=(KINDS["linear"]("updates"),), per="episodes"),
            f'schedules: piece 0 goes by updates, the whole by episodes - give per = "updates" {WHOLE}',
        ),
    ],
)  # fmt: skip
def test_bad_settings(make, said):
    with pytest.raises(BadSetting) as caught:
        make()
    assert str(caught.value) == said
