"""How often, how fairly and at what price chance decides."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_exploration.e_greedy import EGreedy
from coach_schedules import Linear
from coachcore.api import BadSetting, Box, Discrete, Mismatch, Moment, Proposal
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


def test_what_it_cannot_serve_is_refused():
    with pytest.raises(
        Mismatch, match=r"e-greedy: e-greedy draws from discrete actions, got .* - a box can use 'greedy'"
    ):
        EGreedy().init(Box((1,), -1, 1), 1)
    with pytest.raises(BadSetting, match=r"epsilon: 1.5 is out of range - must be >= 0 and <= 1"):
        EGreedy(epsilon=1.5)
