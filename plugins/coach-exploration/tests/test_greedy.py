"""The best action, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from coach_exploration.greedy import Greedy
from coachcore.api import Box, Discrete, Mismatch, Moment, Proposal


def chosen(space, wishes):
    wishes = np.asarray(wishes, np.float32)
    moment = Moment(np.random.default_rng(0), 0, evaluating=False)
    return Greedy()(None, lambda: Proposal(wishes), space, len(wishes), moment)[1].tolist()


def test_the_most_preferred_is_chosen_and_of_equals_the_first():
    assert chosen(Discrete(3), [[10, 20, 30], [5, 1, 5]]) == [2, 0]


def test_the_mean_is_cut_off_at_the_bounds():
    assert chosen(Box((2,), -1, 2), [[0.5, 3], [-4, 1]]) == [[0.5, 2.0], [-1.0, 1.0]]


def test_a_bound_that_float32_cannot_hold_is_not_passed():
    space = Box((1,), -0.3, 0.3)  # float32 has 0.3 only as 0.30000001
    up, down = (np.array(chosen(space, [[wish]])) for wish in (9, -9))
    assert 0.2999999 < up[0, 0] <= 0.3
    assert -0.3 <= down[0, 0] < -0.2999999


def test_it_does_not_explore():
    assert Greedy().level(None, 5) == 0.0


def test_other_spaces_are_refused():
    with pytest.raises(Mismatch, match="greedy: greedy chooses discrete actions or points of a box, got words"):
        Greedy().init("words", 1)
