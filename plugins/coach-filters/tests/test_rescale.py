"""Scaling of rewards, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from coach_filters.reward.rescale import Rescale
from coachcore.api import BadSetting, Box, Discrete, Mismatch, Rows


def test_by_hand():
    _, out = Rescale(factor=0.1)(None, np.array([100.0, -50.0]), Rows(np.arange(2), first=False))
    assert out.tolist() == [10.0, -5.0]


@pytest.mark.parametrize(
    ("factor", "before", "after"),
    [
        (0.1, (-100, 100), (-10, 10)),
        (-2, (-1, 3), (-6, 2)),
        (3, (-np.inf, np.inf), (-np.inf, np.inf)),
        (-1, (0, np.inf), (-np.inf, 0)),
    ],
)
def test_the_bounds_are_scaled_and_a_negative_factor_turns_them_round(factor, before, after):
    space = Rescale(factor=factor).space(Box((), *before))
    assert (float(space.low), float(space.high)) == after


@pytest.mark.parametrize("factor", [0, 0.0, np.inf, np.nan])
def test_a_factor_that_leaves_nothing_is_refused(factor):
    with pytest.raises(BadSetting, match="leaves nothing to learn from - use a finite number other than 0"):
        Rescale(factor=factor)


def test_only_real_numbers_are_scaled():
    with pytest.raises(Mismatch, match="rescale: only real numbers"):
        Rescale(factor=2).space(Discrete(2))
