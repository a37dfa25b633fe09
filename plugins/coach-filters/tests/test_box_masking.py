"""Masks over action spaces, by hand and as laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_filters.action.box_masking import BoxMasking
from coachcore.api import BadSetting, Box, Discrete, Mismatch, Rows


def done(part, action, before=None):
    action = np.asarray(action, np.float32)
    state = part.init(before or Box(action.shape[1:]), len(action))
    return part(state, action, Rows(np.arange(len(action)), first=False))[1]


def test_by_hand():
    part = BoxMasking(low=10, high=20)
    assert part.space(Box((1,), 5, 30)) == Box((1,), 0, 10)
    assert done(part, [[2]]).tolist() == [[12.0]]


def test_each_component_has_its_own_edges():
    part = BoxMasking(low=(-1, 2), high=(1, 4))
    assert part.space(Box((2,), -5, 5)).high.tolist() == [2.0, 2.0]
    assert done(part, [[0, 0], [2, 2]]).tolist() == [[-1.0, 2.0], [1.0, 4.0]]


def test_names_survive():
    assert BoxMasking(low=0, high=1).space(Box((2,), -1, 1, names=("gas", "brake"))).names == ("gas", "brake")


@given(st.floats(-10, 10), st.floats(0.01, 10), st.floats(0, 1))
def test_what_is_done_never_leaves_the_mask(low, width, share):
    part = BoxMasking(low=low, high=low + width)
    before = Box((1,), low, low + width)
    seen = part.space(before)
    assert before.contains(done(part, [[np.float32(share * seen.high[0])]]))


@pytest.mark.parametrize(("low", "high"), [(4, 10), (5, 31), ((5, 5), (30, 31))])
def test_the_mask_lies_within_the_action_space(low, high):
    with pytest.raises(Mismatch, match=r"box-masking: the mask .* must lie within the action space, 5 to 30"):
        BoxMasking(low=low, high=high).space(Box((2,), 5, 30))


def test_discrete_actions_have_no_mask():
    with pytest.raises(Mismatch, match=r"box-masking needs a space of real numbers \(a box\)"):
        BoxMasking(low=0, high=1).space(Discrete(3))


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (2, 1, "low must not lie above high"),
        (0, np.inf, "high: a mask has finite edges, got inf"),
        (np.nan, 1, "low: a mask has finite edges"),
        ((1, 2), (3, 4, 5), "low has 2 numbers and high 3"),
    ],
)
def test_edges_that_do_not_fit_are_refused(low, high, said):
    with pytest.raises(BadSetting, match=said):
        BoxMasking(low=low, high=high)


def test_a_mask_moves_while_a_run_goes_on():
    """What a master agent does: environment 1 is told another part of the space than environment 0."""
    part, before = BoxMasking(low=10, high=20), Box((1,), 5, 30)
    state = part.init(before, 2)
    moved = part.masked(state, before, 25, 30, np.array([1]))
    rows = Rows(np.arange(2), first=False)
    assert part(moved, np.array([[2], [2]], np.float32), rows)[1].tolist() == [[12.0], [27.0]]
    assert part(moved, np.array([[9]], np.float32), Rows(np.array([1]), first=False))[1].tolist() == [[30.0]]
    assert part(state, np.array([[2], [2]], np.float32), rows)[1].tolist() == [[12.0], [12.0]]
    with pytest.raises(Mismatch, match=r"^box-masking: the mask 25 to 31 must lie within the action space, 5 to 30$"):
        part.masked(state, before, 25, 31, np.array([1]))
    with pytest.raises(BadSetting, match=r"^low: low must not lie above high, got low 7 and high 6$"):
        part.masked(state, before, 7, 6, np.array([1]))
