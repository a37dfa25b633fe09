"""Pieces answer for exactly their length."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_schedules import Exponential, Linear, Piecewise
from coachcore.api import BadSetting

PIECES = (Linear(start=1, end=3, steps=10), 4, Exponential(start=3, end=1, factor=0.5))


def test_by_hand():
    pieces = Piecewise(schedules=PIECES, steps=(5, 3))
    assert [pieces(step) for step in range(11)] == pytest.approx([1, 1.2, 1.4, 1.6, 1.8, 4, 4, 4, 3, 1.5, 1])


def test_one_piece_alone_needs_no_length():
    assert Piecewise(schedules=(Linear(start=0, end=2, steps=2),))(1) == 1


@pytest.mark.parametrize(
    ("pieces", "steps", "said"),
    [
        (PIECES, (5,), "steps: 3 pieces need 2 lengths, got 1"),
        (PIECES, (5, 5, 5), "steps: 3 pieces need 2 lengths, got 3"),
        ((), (), "schedules: there are no pieces - give one or more"),
        (PIECES, (5, 0), "steps: 0 is out of range - must be >= 1"),
        (("fast",), (), "expected a number or a schedule, got 'fast'"),
    ],
)
def test_lengths_that_do_not_fit_are_refused(pieces, steps, said):
    with pytest.raises(BadSetting, match=said):
        Piecewise(schedules=pieces, steps=steps)


@given(st.lists(st.integers(1, 20), max_size=5))
def test_each_piece_runs_exactly_its_length(lengths):
    pieces = Piecewise(schedules=tuple(range(len(lengths) + 1)), steps=tuple(lengths))
    wanted = [piece for piece, length in enumerate(lengths) for _ in range(length)]
    assert [pieces(step) for step in range(sum(lengths) + 3)] == [*wanted, *[len(lengths)] * 3]
