"""What a call brings along: noise handed out piece by piece, and flows that end where they began."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coach_networks.flow import Flow, Noise, current, flowing

NUMBERS = np.arange(60, dtype=np.float32)
SHAPES = st.lists(st.lists(st.integers(1, 3), max_size=2).map(tuple), max_size=6)


def test_pieces_follow_one_another_from_the_start_on() -> None:
    noise = Noise(NUMBERS, 2)
    assert np.asarray(noise((2, 2))).tolist() == [[2, 3], [4, 5]]
    assert np.asarray(noise((3,))).tolist() == [6, 7, 8]
    assert np.asarray(noise(())).tolist() == 9
    assert noise.used == 8


def test_without_numbers_it_gives_zeros_and_counts() -> None:
    noise = Noise(None)
    assert np.asarray(noise((2, 3))).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert noise.used == 6


@settings(deadline=None, max_examples=20)
@given(SHAPES, st.integers(0, 5))
def test_no_number_is_handed_out_twice_and_none_is_left_out(shapes: list[tuple[int, ...]], start: int) -> None:
    noise, counting = Noise(NUMBERS, start), Noise(None, start)
    pieces = [np.asarray(noise(shape)) for shape in shapes]
    assert [piece.shape for piece in pieces] == shapes
    assert [number for piece in pieces for number in piece.ravel()] == list(range(start, start + noise.used))
    for shape in shapes:
        counting(shape)
    assert counting.used == noise.used == sum(prod(shape) for shape in shapes)


def test_outside_of_any_call_all_stands_still() -> None:
    still = current()
    assert (still.normal, still.training, still.sequence) == (None, False, 1)


def test_flows_lie_within_one_another_and_end_also_by_an_error() -> None:
    still, outer, inner = current(), Flow(training=True), Flow(sequence=4)
    with flowing(outer) as given:
        assert current() is given is outer
        with pytest.raises(ZeroDivisionError), flowing(inner):
            _ = current().sequence // (current() is not inner)
        assert current() is outer
    assert current() is still


def test_two_flows_share_no_list() -> None:
    assert Flow().moved is not Flow().moved
