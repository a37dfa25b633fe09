"""Optimism where heads differ."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coach_exploration.ucb import UCB
from coach_schedules import Linear
from coachcore.api import Discrete, Moment, Proposal
from coachcore.testing.laws import chi_square, chi_square_limit

VALUES = np.array([[[1.0, 3.0, 0.0], [1.0, -1.0, 0.0]]])  # means 1, 1, 0; deviations 0, 2, 0


def acted(part, values, *, step=0, evaluating=False, seed=0, state=0.0):
    wish, space = Proposal(values.mean(axis=1), ensemble=values), Discrete(values.shape[2])
    moment = Moment(np.random.default_rng(seed), step, evaluating=evaluating)
    return part(state, lambda: wish, space, len(values), moment)


def test_by_hand():
    assert acted(UCB(bonus=0.01), VALUES)[1].tolist() == [1]
    assert acted(UCB(bonus=0), VALUES)[1].tolist() == [0]  # of equals the first
    assert acted(UCB(bonus=9), VALUES, evaluating=True)[1].tolist() == [0]
    falling = UCB(bonus=Linear(start=1, end=0, steps=10))
    assert [acted(falling, VALUES - [[[0, 1, 0]]], step=step)[1].tolist() for step in (0, 5, 8, 10)] == [
        [1],
        [0],
        [0],
        [0],
    ]


@given(arrays(np.float64, (4, 5, 3), elements=st.floats(-100, 100)), st.floats(0, 10))
def test_the_slow_twin_is_as_optimistic(values, bonus):
    """Slow twin: mean and deviation by Python's own statistics, environment by environment."""
    from statistics import fmean, pstdev

    actions = acted(UCB(bonus=bonus), values)[1]
    for row, action in zip(values.tolist(), actions.tolist(), strict=True):
        scores = [fmean(told) + bonus * pstdev(told) for told in zip(*row, strict=True)]
        assert scores[action] == pytest.approx(max(scores), abs=1e-9, rel=1e-9)


def test_people_watch_how_much_heads_differ():
    """The old policy began with values of an agent that had seen nothing; here nothing was asked yet."""
    part = UCB()
    assert part.level(part.init(Discrete(3), 1), 0) == 0.0
    state, _ = acted(part, VALUES)
    assert part.level(state, 0) == pytest.approx(2 / 3)
    assert acted(part, VALUES * 7, evaluating=True, state=state)[0] == state
    assert acted(UCB(epsilon=1), VALUES, state=state)[0] == state  # not asked: every environment drew


def test_random_actions_are_fair_and_as_many_as_epsilon_says():
    """Each of two figures is off once in a million seeds."""
    many = np.repeat(VALUES, 9_000, axis=0)
    for evaluating in (False, True):
        part = UCB(bonus=1, epsilon=0.3, evaluation_epsilon=0.3)
        counts = np.bincount(acted(part, many, evaluating=evaluating, seed=4)[1], minlength=3)
        expected = np.full(3, 900.0)
        expected[0 if evaluating else 1] += 6_300
        assert chi_square(counts, expected) < chi_square_limit(2)
