"""Boxes as other boxes and as grids, by hand and as laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_filters.action.box_discretization import BoxDiscretization
from coach_filters.action.linear_box_to_box import LinearBoxToBox
from coachcore.api import BadSetting, Box, Discrete, Mismatch, Rows

ROWS = Rows(np.arange(1), first=False)


def done(part, space, *actions):
    return part(part.init(space, 1), np.array(actions), ROWS)[1].tolist()


def test_a_line_by_hand():
    part, space = LinearBoxToBox(low=10, high=20), Box((1,), 5, 35)
    assert part.space(space) == Box((1,), 10, 20)
    assert done(part, space, [12.0], [10.0], [20.0]) == [[11.0], [5.0], [35.0]]


def test_each_component_has_its_own_line():
    part, space = LinearBoxToBox(low=(0, -1), high=(1, 1)), Box((2,), (-2, 0), (2, 8), names=("steer", "gas"))
    assert part.space(space) == Box((2,), (0, -1), (1, 1), names=("steer", "gas"))
    assert done(part, space, [0.25, 0.5]) == [[-1.0, 6.0]]


@given(st.floats(-10, 10), st.floats(0.01, 10), st.floats(0, 1))
def test_a_line_never_leaves_the_box(low, width, share):
    space = Box((1,), low, low + width)
    assert space.contains(np.array(done(LinearBoxToBox(low=-1, high=1), space, [np.float32(2 * share - 1)])))


def test_a_grid_by_hand():
    space = Box((1,), 5, 15)
    part = BoxDiscretization(bins=9)
    assert part.space(space) == Discrete(9)
    assert done(part, space, *range(9)) == [[5 + 1.25 * place] for place in range(9)]


def test_the_last_dimension_changes_fastest():
    space = Box((2,), 5, 15)
    assert BoxDiscretization(bins=3).space(space) == Discrete(9)
    assert done(BoxDiscretization(bins=3), space, 0, 1, 2, 3) == [[5, 5], [5, 10], [5, 15], [10, 5]]
    assert done(BoxDiscretization(bins=(1, 2)), space, 1) == [[5, 15]]


def test_whole_numbers():
    assert done(BoxDiscretization(bins=3, whole=True), Box((1,), 0, 83), 1) == [[41.0]]


@pytest.mark.parametrize("part", [LinearBoxToBox(low=0, high=1), BoxDiscretization(bins=2)])
@pytest.mark.parametrize("space", [Discrete(3), Box((1,)), Box((2,), 0)])
def test_bounds_are_asked_for(part, space):
    with pytest.raises(Mismatch, match="needs an action space of real numbers with finite bounds"):
        part.space(space)


def test_what_does_not_fit_is_refused():
    with pytest.raises(Mismatch, match=r"3 numbers of bins do not fit actions of shape \(2,\)"):
        BoxDiscretization(bins=(2, 2, 2)).space(Box((2,), 0, 1))
    with pytest.raises(Mismatch, match=r"11 x 11 x 11 x 11 x 11 bins make 161051 actions"):
        BoxDiscretization(bins=11).space(Box((5,), 0, 1))
    with pytest.raises(Mismatch, match=r"2 bounds do not fit values of shape \(3,\)"):
        LinearBoxToBox(low=(0, 0), high=1).space(Box((3,), 0, 1))
    with pytest.raises(BadSetting, match="low must lie below high and both be finite"):
        LinearBoxToBox(low=1, high=1)
    with pytest.raises(BadSetting, match="low must lie below high and both be finite"):
        LinearBoxToBox(low=0, high=np.inf)
