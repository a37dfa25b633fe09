"""A walk that remembers."""

from __future__ import annotations

import numpy as np
import pytest

from coach_exploration.ou_process import OUProcess
from coachcore.api import Box, Discrete, Mismatch, Moment, Proposal

SPACE = Box((2,), -1, 1)


def walked(part, steps, count=1, *, seed=0, space=SPACE):
    """States after each of some steps, one wish of 0 after the other."""
    rng, state, found = np.random.default_rng(seed), part.init(space, count), []
    wish = Proposal(np.zeros((count, *space.shape)))
    for step in range(steps):
        state, _ = part(state, lambda: wish, space, count, Moment(rng, step, evaluating=False))
        found.append(state)
    return np.array(found)


class Chance:
    """A stand-in for a random generator that hands out known normal numbers."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def standard_normal(self, shape):
        return np.full(shape, self.numbers.pop(0))


def test_by_hand():
    part, wish = OUProcess(mu=1.0, theta=0.1, sigma=0.2, dt=0.01), Proposal(np.array([[0.5, 0.999]]))
    rng = Chance(1.0, -2.0)
    state, actions = part(part.init(SPACE, 1), lambda: wish, SPACE, 1, Moment(rng, 0, evaluating=False))
    assert state == pytest.approx(0.001 + 0.02)
    assert actions == pytest.approx(np.array([[0.521, 1.0]]))
    state, _ = part(state, lambda: wish, SPACE, 1, Moment(rng, 1, evaluating=False))
    assert state == pytest.approx(0.021 + 0.001 * (1 - 0.021) - 0.04)
    assert part.level(state, 0) == pytest.approx(0.018021)


def test_the_slow_twin_walks_the_same():
    part, steps = OUProcess(mu=(0.5, -0.5), theta=2.0, sigma=0.3, dt=0.1), 50
    fast, rng, slow = walked(part, steps, 3), np.random.default_rng(0), np.zeros((3, 2))
    for step in range(steps):
        for env in range(3):
            for component, mu in enumerate((0.5, -0.5)):
                slow[env, component] += 2.0 * (mu - slow[env, component]) * 0.1
                slow[env, component] += 0.3 * 0.1**0.5 * rng.standard_normal()
        np.testing.assert_allclose(fast[step], slow, rtol=1e-12)


def test_a_walk_begins_at_0_with_each_episode():
    part, rng, many = OUProcess(sigma=1.0, dt=1.0), np.random.default_rng(3), np.full((3, 2), 5.0)
    moment = Moment(rng, 0, False, np.array([True, False, True]))
    after, _ = part(many, lambda: Proposal(np.zeros((3, 2))), SPACE, 3, moment)
    thrown = np.random.default_rng(3).standard_normal((3, 2))
    np.testing.assert_allclose(after, np.array([[0.0], [5.0 - 0.15 * 5.0], [0.0]]) + thrown, rtol=1e-12)


def test_the_old_figures():
    """The first two rows that the old suite held, 0.2 * 0.1 times NumPy's legacy normal numbers of seed 0."""
    legacy, part, space = np.random.RandomState(0), OUProcess(theta=0.1), Box((10,), -1, 1)

    class Then:
        def standard_normal(self, shape):
            return legacy.randn(*shape)

    state, rows = part.init(space, 1), []
    for step in range(3):
        moment = Moment(Then(), step, evaluating=False)
        state, actions = part(state, lambda: Proposal(np.zeros((1, 10))), space, 1, moment)
        rows.append(actions[0])
    first = [0.03528105, 0.00800314, 0.01957476, 0.04481786, 0.03735116]
    first += [-0.01954556, 0.01900177, -0.00302714, -0.00206438, 0.00821197]
    assert rows[0] == pytest.approx(first, rel=1e-5)
    assert rows[1][:2] == pytest.approx([0.03812664, 0.03708061], rel=1e-5)
    assert rows[2][:2] == pytest.approx([-0.01297129, 0.0501159], rel=1e-5)


def test_it_settles_around_its_mean():
    """Mean, variance and memory of the settled walk; each is off once in a million seeds.

    With r = 1 - theta dt, settled walks have variance sigma^2 dt / (1 - r^2) and correlation r from step to step.
    """
    part, many = OUProcess(mu=10.0, theta=1.0, sigma=2.0, dt=0.2), 20_000
    *_, before, after = walked(part, 60, many, space=Box((1,)))
    variance = 4 * 0.2 / (1 - 0.8**2)
    assert abs(after.mean() - 10) < 4.9 * (variance / many) ** 0.5 + 10 * 0.8**60
    assert abs(after.var() / variance - 1) < 4.9 * (2 / many) ** 0.5 + 0.8**120
    assert abs(np.corrcoef(before[:, 0], after[:, 0])[0, 1] - 0.8) < 4.9 * (1 - 0.64) / many**0.5


def test_evaluation_has_no_noise_and_stands_still():
    part = OUProcess(sigma=9.0)
    state = walked(part, 5)[-1]
    after, actions = part(state, lambda: Proposal(np.array([[0.25, -3.0]])), SPACE, 1, Moment(None, 9, evaluating=True))
    assert after is state
    assert actions.tolist() == [[0.25, -1.0]]


def test_what_it_cannot_serve_is_refused():
    with pytest.raises(Mismatch, match="ou-process adds noise to real numbers"):
        OUProcess().init(Discrete(2), 1)
    with pytest.raises(Mismatch, match=r"mu has 3 numbers, actions have shape \(2,\)"):
        OUProcess(mu=(0.0, 0.0, 0.0)).init(SPACE, 1)
