"""Clipping, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from coach_filters.clipping import Clipping
from coachcore.api import BadSetting, Box, Discrete, Mismatch, Rows

ROWS = Rows(np.arange(3), first=False)


def clipped(part, values):
    return part(None, np.asarray(values), ROWS)[1]


def test_rewards_by_hand():
    out = clipped(Clipping(low=2, high=10), [100.0, 5.0, -5.0])
    assert out.tolist() == [10.0, 5.0, 2.0]
    assert out.dtype == np.float64


def test_zero_is_a_bound():
    assert clipped(Clipping(low=0), [-1.0, 2.0]).tolist() == [0.0, 2.0]
    assert clipped(Clipping(high=0), [-1.0, 2.0]).tolist() == [-1.0, 0.0]


def test_each_component_has_its_own_bound():
    out = clipped(Clipping(low=(0, 1), high=(1, 5)), np.array([[-3, 3], [0.5, 9]], np.float32))
    assert out.tolist() == [[0.0, 3.0], [0.5, 5.0]]
    assert out.dtype == np.float32


def test_bytes_stay_bytes_and_bounds_round_inwards():
    part = Clipping(low=1.5, high=300)
    out = clipped(part, np.array([[0, 2, 255]], np.uint8))
    assert out.tolist() == [[2, 2, 255]]
    assert out.dtype == np.uint8
    space = part.space(Box((3,), 0, 255, "uint8"))
    assert (space.low.tolist(), space.high.tolist(), space.dtype) == ([2, 2, 2], [255, 255, 255], "uint8")


@pytest.mark.parametrize(
    ("before", "after"),
    [((-100, 100), (2, 10)), ((5, 7), (5, 7)), ((-np.inf, 4), (2, 4)), ((0, 1), (2, 2))],
)
def test_the_space_is_the_image_of_the_space(before, after):
    space = Clipping(low=2, high=10).space(Box((), *before))
    assert (float(space.low), float(space.high)) == after


def test_names_survive():
    assert Clipping(high=1).space(Box((2,), names=("speed", "height"))).names == ("speed", "height")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"low": 2, "high": 1}, "low: low must not lie above high, got low 2 and high 1"),
        ({"low": float("nan")}, "low must not lie above high"),
        ({"low": (1, 2), "high": (3, 4, 5)}, "low has 2 numbers and high 3"),
        ({}, "nothing to clip at - give low, high or both"),
    ],
)
def test_bounds_that_do_not_fit_are_refused(settings, said):
    with pytest.raises(BadSetting, match=said):
        Clipping(**settings)


def test_spaces_that_do_not_fit_are_refused():
    with pytest.raises(Mismatch, match=r"2 bounds do not fit values of shape \(3,\)"):
        Clipping(low=(1, 2)).space(Box((3,)))
    with pytest.raises(Mismatch, match=r"2 bounds do not fit values of shape \(\)"):
        Clipping(low=(1, 2)).space(Box(()))
    with pytest.raises(Mismatch, match="clipping needs a space of real numbers"):
        Clipping(low=1).space(Discrete(2))
