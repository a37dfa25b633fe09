"""A network's own Gaussian, drawn from as it is."""

from __future__ import annotations

import numpy as np
import pytest

from coach_exploration.continuous_entropy import ContinuousEntropy
from coachcore.api import Box, Discrete, Mismatch, Moment, Proposal

SPACE = Box((2,), -1, 1)
DRAWS = 20_000
MEAN, DEVIATION, CENTRE = np.array([0.5, -3.0]), np.array([0.2, 1.5]), np.array([0.3, -0.8])


class Chance:
    """A stand-in for a random generator that hands out known normal numbers."""

    def __init__(self, numbers):
        self.numbers = np.array(numbers, np.float32)

    def standard_normal(self, shape, _dtype):
        return self.numbers.reshape(shape)


def acted(proposal, rng, *, space=SPACE, evaluating=False):
    part, count = ContinuousEntropy(), len(proposal.preferences)
    moment = Moment(rng, 0, evaluating=evaluating)
    return part(part.init(space, count), lambda: proposal, space, count, moment)


def test_by_hand_without_a_centre():
    proposal = Proposal(np.array([[0.0, 1.0]]), np.array([[0.5, 2.0]]))
    state, actions = acted(proposal, Chance([1.0, -0.25]))
    assert actions.tolist() == [[0.5, 0.5]]
    assert ContinuousEntropy().level(state, 0) == 1.25


def test_by_hand_with_a_centre():
    proposal = Proposal(np.tanh([[0.0, 1.0]]), np.array([[0.5, 2.0]]), np.array([[0.0, 1.0]]))
    _, actions = acted(proposal, Chance([1.0, -0.25]))
    assert actions == pytest.approx(np.tanh([[0.5, 0.5]]))


def test_what_is_drawn_outside_the_bounds_stays_there():
    _, actions = acted(Proposal(np.array([[0.0, 1.0]]), np.array([[0.5, 2.0]])), Chance([4.0, 1.0]))
    assert actions.tolist() == [[2.0, 3.0]]


def test_evaluation_does_the_mean_within_the_bounds():
    _, actions = acted(Proposal(np.array([[0.5, -3.0]]), np.array([[9.0, 9.0]])), None, evaluating=True)
    assert actions.tolist() == [[0.5, -1.0]]


@pytest.mark.parametrize("squashed", [False, True])
def test_mean_and_deviation(squashed):
    """Each of four figures is off once in a million seeds."""
    rows = np.ones((DRAWS, 1))
    proposal = Proposal(rows * MEAN, rows * DEVIATION)
    if squashed:
        proposal = Proposal(np.tanh(rows * CENTRE), rows * DEVIATION, rows * CENTRE)
    _, actions = acted(proposal, np.random.default_rng(9))
    drawn = np.arctanh(actions.astype(np.float64)) if squashed else actions.astype(np.float64)
    assert (np.abs(drawn.mean(axis=0) - (CENTRE if squashed else MEAN)) < 4.9 * DEVIATION / DRAWS**0.5).all()
    assert (np.abs(drawn.std(axis=0) - DEVIATION) < 4.9 * DEVIATION / (2 * DRAWS) ** 0.5).all()


def test_what_it_cannot_serve_is_refused():
    with pytest.raises(Mismatch, match="continuous-entropy adds noise to real numbers"):
        ContinuousEntropy().init(Discrete(2), 1)
    with pytest.raises(Mismatch, match=r"this agent's network gives none - use 'additive-noise'"):
        acted(Proposal(np.zeros((1, 2))), np.random.default_rng(0))
