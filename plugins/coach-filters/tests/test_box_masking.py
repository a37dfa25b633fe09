"""Masks over action spaces, by hand and as laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_filters.action.box_masking import BoxMasking
from coachcore.api import BadSetting, Box, Discrete, Mismatch, Rows

ROWS = Rows(np.arange(1), first=False)


def done(part, action):
    return part(None, np.asarray(action, np.float32), ROWS)[1]


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
