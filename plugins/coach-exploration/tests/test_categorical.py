"""A policy's own probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from coach_exploration.categorical import Categorical
from coachcore.api import Box, Discrete, Mismatch, Moment, Proposal
from coachcore.testing.laws import chi_square, chi_square_limit

SPACE = Discrete(3)


def chosen(rng, rows, *, evaluating=False):
    moment = Moment(rng, 0, evaluating=evaluating)
    return Categorical()(None, lambda: Proposal(np.asarray(rows, np.float32)), SPACE, len(rows), moment)[1]


def test_each_environment_is_drawn_from_its_own_row():
    """Fails once in a million seeds for each environment."""
    rows = np.array([[0.1, 0.2, 0.7], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])
    rng, counts = np.random.default_rng(1), np.zeros((3, 3))
    for _ in range(3000):
        counts[np.arange(3), chosen(rng, rows)] += 1
    assert chi_square(counts[0], 3000 * rows[0]) < chi_square_limit(2)
    assert chi_square(counts[1, 1:], 3000 * rows[1, 1:]) < chi_square_limit(1)
    assert counts[1, 0] == 0
    assert counts[2].tolist() == [3000, 0, 0]


def test_evaluation_takes_the_most_probable_and_draws_nothing():
    assert chosen(None, [[0.3, 0.4, 0.3], [0.5, 0.0, 0.5]], evaluating=True).tolist() == [1, 0]


def test_it_adds_nothing_of_its_own():
    assert Categorical().level(None, 9) == 0.0


def test_a_box_is_refused():
    with pytest.raises(Mismatch, match=r"categorical: categorical draws from discrete .* use 'continuous-entropy'"):
        Categorical().init(Box((1,), -1, 1), 1)
