"""How often, how fairly and at what price chance decides."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from coach_exploration.e_greedy import EGreedy
from coach_schedules import Linear
from coachcore.api import Box, Discrete, Moment, Proposal
from coachcore.testing.laws import chi_square, chi_square_limit

SPACE = Discrete(3)


class Chance:
    """A stand-in for a random generator that hands out known numbers."""

    def __init__(self, *numbers):
        self.numbers = np.array(numbers)

    def random(self, size):
        assert size == len(self.numbers)
        return self.numbers


def chosen(part, chance, wishes, step=0, evaluating=False):
    wishes = np.asarray(wishes)
    moment = Moment(chance, step, evaluating=evaluating)
    return part(None, lambda: Proposal(wishes), SPACE, len(wishes), moment)[1].tolist()


def unasked():
    pytest.fail("the network was asked although every environment explores")


def test_one_environment_by_hand():
    part = EGreedy(epsilon=0.5)
    assert chosen(part, Chance(0.49, 0.34), [[0, 0, 9]]) == [1]  # 0.34 * 3 = 1.02
    assert chosen(part, Chance(0.5, 0.34), [[0, 0, 9]]) == [2]


def test_several_environments_by_hand():
    wishes = [[0, 0, 9], [9, 0, 0], [0, 9, 0]]
    assert chosen(EGreedy(epsilon=0.5), Chance(0.9, 0.1, 0.7, 0.0, 0.99, 0.0), wishes) == [2, 2, 1]


@pytest.mark.parametrize("count", [1, 4])
def test_the_network_is_not_asked_when_every_environment_explores(count):
    moment = Moment(np.random.default_rng(0), 0, evaluating=False)
    _, actions = EGreedy(epsilon=1)(None, unasked, SPACE, count, moment)
    assert SPACE.contains(actions)


@given(st.floats(0, 1), st.integers(1, 6), st.integers(0, 2**32))
def test_a_step_takes_as_many_numbers_whatever_comes_of_it(epsilon, count, seed):
    drawing, counting = np.random.default_rng(seed), np.random.default_rng(seed)
    chosen(EGreedy(epsilon=epsilon), drawing, np.zeros((count, 3)))
    counting.random(2 * count)
    assert drawing.random() == counting.random()


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 10**6))
def test_a_draw_is_always_an_action(share, actions):
    moment = Moment(Chance(0.0, share), 0, evaluating=False)
    _, (action,) = EGreedy(epsilon=1)(None, unasked, Discrete(actions), 1, moment)
    assert 0 <= action < actions


@pytest.mark.parametrize("count", [1, 5])
def test_a_share_of_epsilon_is_drawn_fairly(count):
    """Fails once in a million seeds; the best action gets 1 - epsilon + epsilon / 3."""
    rng, part, counts = np.random.default_rng(4), EGreedy(epsilon=0.6), np.zeros(3)
    steps = 6000 // count
    for step in range(steps):
        moment = Moment(rng, step, evaluating=False)
        counts += np.bincount(
            part(None, lambda: Proposal(np.eye(3)[[1] * count]), SPACE, count, moment)[1], minlength=3
        )
    assert chi_square(counts, steps * count * np.array([0.2, 0.6, 0.2])) < chi_square_limit(2)


def test_epsilon_follows_its_schedule_and_evaluation_has_its_own():
    part = EGreedy(epsilon=Linear(start=1, end=0, steps=10), evaluation_epsilon=0.25)
    assert [part.level(None, step) for step in (0, 5, 10, 99)] == [1, 0.5, 0, 0]
    best = [[0, 0, 9]]
    assert chosen(part, Chance(0.4, 0.0), best, step=5) == [0]
    assert chosen(part, Chance(0.4, 0.0), best, step=7) == [2]
    assert chosen(part, Chance(0.24, 0.0), best, step=99, evaluating=True) == [0]
    assert chosen(part, Chance(0.26, 0.0), best, step=0, evaluating=True) == [2]


def test_the_usual_epsilon():
    assert [EGreedy().level(None, step) for step in (0, 25_000, 50_000)] == pytest.approx([0.5, 0.255, 0.01])


BOX = Box((2,), (-1.0, 0.0), (1.0, 10.0))
KOLMOGOROV = 2.69
"""Kolmogorov's statistic times root n passes this once in a million samples: 2 exp(-2 * 2.69^2)."""


def stepped(part, space, wish, steps, *, seed=6, begins=None, evaluating=False):
    """Actions ``[steps, N, ...]`` for one wish ``[N, A]``."""
    rng, count, found = np.random.default_rng(seed), len(wish), []
    state = part.init(space, count)
    for step in range(steps):
        first = None if begins is None or not begins[step].any() else begins[step]
        after, actions = part(state, lambda: Proposal(wish), space, count, Moment(rng, step, evaluating, first))
        state = state if evaluating else after
        found.append(actions)
    return np.array(found)


def test_random_points_of_a_box_are_fair():
    """Fails once in a million seeds for each component."""
    actions = stepped(EGreedy(epsilon=1), BOX, np.zeros((5_000, 2)), 1)[0]
    for component, (low, high) in enumerate(((-1.0, 1.0), (0.0, 10.0))):
        assert stats.kstest(actions[:, component], "uniform", (low, high - low)).statistic < KOLMOGOROV / 5_000**0.5


def test_other_points_of_a_box_are_the_wish_and_noise():
    """Shares of each sort of action; each is off once in a million seeds."""
    wish = np.full((20_000, 2), (0.25, 5.0))
    for evaluating in (False, True):
        part = EGreedy(epsilon=0.3, evaluation_epsilon=0.3, deviation=0.0)
        apart = (stepped(part, BOX, wish, 1, evaluating=evaluating)[0] != (0.25, 5.0)).all(axis=1)
        assert abs(apart.mean() - 0.3) < 4.9 * (0.3 * 0.7 / 20_000) ** 0.5
    shaken = stepped(EGreedy(epsilon=0, deviation=0.01), BOX, wish, 1)[0]
    assert shaken.std(axis=0) == pytest.approx([0.02, 0.1], rel=4.9 / 200)
    assert (stepped(EGreedy(epsilon=0), BOX, wish, 1, evaluating=True) == (0.25, 5.0)).all()
    own = Proposal(wish[:, :1] * 0, np.full((20_000, 1), 0.125))
    moment = Moment(np.random.default_rng(0), 0, evaluating=False)
    part, wide = EGreedy(epsilon=0), Box((1,), -9, 9)
    drawn = part(part.init(wide, 20_000), lambda: own, wide, 20_000, moment)[1]
    assert drawn.std() == pytest.approx(0.125, rel=4.9 / 200)  # a network's own deviation is believed


@given(st.integers(1, 4), st.integers(1, 5), st.floats(0, 1), st.integers(0, 2**32))
def test_the_slow_twin_holds_random_actions_as_long(count, duration, epsilon, seed):
    """Slow twin: environment by environment, from the same stream; episodes begin now and then."""
    chance = np.random.default_rng(seed)
    begins, wish, space = chance.random((15, count)) < 0.2, chance.random((count, 4)), Discrete(4)
    rng, left, held, slow = np.random.default_rng(seed), [0] * count, [0] * count, []
    for step in range(15):
        left = [0 if begun else still for begun, still in zip(begins[step], left, strict=True)]
        decisions = rng.random(count)
        starting = [env for env in range(count) if left[env] == 0 and decisions[env] < epsilon]
        drawn, row = space.sample(rng, count) if starting else None, []
        for env in range(count):
            if env in starting:
                left[env], held[env] = duration, int(drawn[env])
            row.append(held[env] if left[env] else int(wish[env].argmax()))
            left[env] = max(left[env] - 1, 0)
        slow.append(row)
    part = EGreedy(epsilon=epsilon, duration=duration)
    if duration > 1:  # single random actions draw their numbers in another order
        assert stepped(part, space, wish, 15, seed=seed, begins=begins).tolist() == slow


def test_the_share_of_random_steps_follows_from_their_duration():
    """d epsilon / (1 + (d - 1) epsilon), at one late step of many environments; off once in a million seeds."""
    actions = stepped(EGreedy(epsilon=0.2, duration=3), Discrete(1_000), np.eye(1_000)[np.zeros(9_000, int)], 41)[-1]
    share, expected = (actions != 0).mean(), 0.999 * 0.6 / 1.4
    assert abs(share - expected) < 4.9 * (expected * (1 - expected) / 9_000) ** 0.5


def test_in_evaluation_nothing_is_held():
    part, space = EGreedy(epsilon=1, duration=9), Discrete(50)
    moment = Moment(np.random.default_rng(0), 0, evaluating=False)
    state, _ = part(part.init(space, 4), lambda: Proposal(np.eye(50)[:4]), space, 4, moment)
    assert state["left"].tolist() == [8] * 4
    _, actions = part(state, lambda: Proposal(np.eye(50)[:4]), space, 4, moment._replace(evaluating=True))
    assert actions.tolist() == [0, 1, 2, 3]
