"""EZGreedy by hand, and by the laws of exploration policies."""

from __future__ import annotations

import numpy as np
import pytest

from acme_persistence import EZGreedy
from coachcore.api import Discrete, Moment, Proposal
from coachcore.testing.exploration import ExplorationConformance

SPACE = Discrete(4)


class TestLaws(ExplorationConformance):
    space = SPACE

    def make(self):
        return EZGreedy(epsilon=0.3, longest=5)


def played(policy, steps, first=None):
    """The actions of one environment; greedy would be action 3."""
    rng, state, actions = np.random.default_rng(7), policy.init(SPACE, 1), []
    wish = Proposal(np.array([[0.0, 0.0, 0.0, 1.0]]))
    for step in range(steps):
        begins = None if first is None else np.array([step in first])
        state, chosen = policy(state, lambda: wish, SPACE, 1, Moment(rng, step, False, begins))
        actions.append(int(chosen[0]))
    return actions


def runs(actions):
    """The lengths of stretches of equal actions."""
    edges = np.flatnonzero(np.diff(actions)) + 1
    return np.diff([0, *edges, len(actions)])


def test_without_epsilon_it_is_greedy():
    assert played(EZGreedy(epsilon=0.0), 50) == [3] * 50


def test_a_random_action_is_kept_up():
    """Durations 1, 2 and 3 have the chances 36/49, 9/49 and 4/49: 1.35 steps on average."""
    actions = played(EZGreedy(epsilon=1.0, longest=3), 4_000)
    # of the stretches that begin, a quarter goes on with the action before: a stretch has 1.35 / 0.75 steps
    assert runs(actions).mean() == pytest.approx(66 / 49 / 0.75, rel=0.05)
    assert np.bincount(actions) == pytest.approx([1_000] * 4, rel=0.15)


def test_a_new_episode_begins_afresh():
    long = EZGreedy(epsilon=1.0, mu=1.000001, longest=10_000)
    kept, cut = played(long, 60), played(long, 60, first=range(0, 60, 2))
    assert runs(cut).max() < runs(kept).max()
