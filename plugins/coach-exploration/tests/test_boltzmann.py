"""Chances that follow the values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coach_exploration.boltzmann import Boltzmann, chances
from coach_schedules import Linear
from coachcore.api import BadSetting, Box, Discrete, Mismatch, Moment, Proposal
from coachcore.testing.laws import chi_square, chi_square_limit

values = arrays(np.float32, (3, 4), elements=st.floats(-(2.0**99), 2.0**99, width=32))


def test_by_hand():
    found = chances(np.array([[0.0, np.log(2), np.log(4)]]), 1.0)
    assert found == pytest.approx(np.array([[0.25, 0.5, 1.0]]))
    assert chances(np.array([[0.0, np.log(2), np.log(4)]]), 2.0) == pytest.approx(np.array([[0.5, 0.5**0.5, 1.0]]))


@given(values, st.floats(0, 1e3))
def test_large_values_do_not_overflow_and_the_best_has_the_greatest_chance(rows, temperature):
    found = chances(rows, temperature)
    assert np.isfinite(found).all()
    assert (found.max(axis=1) == 1.0).all()
    assert (found[rows == rows.max(axis=1, keepdims=True)] == 1.0).all()


@given(arrays(np.float64, (2, 5), elements=st.floats(-50, 50)), st.floats(0.1, 10), st.floats(-100, 100))
def test_a_shift_of_all_values_changes_nothing(rows, temperature, shift):
    assert chances(rows, temperature) == pytest.approx(chances(rows + shift, temperature), rel=1e-6, abs=1e-12)


def test_actions_come_as_often_as_softmax_says():
    """Fails once in a million seeds."""
    wish = np.array([[1.0, 2.0, 0.0]] * 4)
    expected = np.exp(wish[0] / 0.8) / np.exp(wish[0] / 0.8).sum()
    rng, counts, part = np.random.default_rng(5), np.zeros(3), Boltzmann(temperature=0.8)
    for step in range(1500):
        moment = Moment(rng, step, evaluating=False)
        counts += np.bincount(part(None, lambda: Proposal(wish), Discrete(3), 4, moment)[1], minlength=3)
    assert chi_square(counts, 6000 * expected) < chi_square_limit(2)


def test_temperature_follows_its_schedule_down_to_the_best_alone():
    part = Boltzmann(temperature=Linear(start=2, end=0, steps=10))
    assert [part.level(None, step) for step in (0, 5, 10)] == [2.0, 1.0, 0.0]
    moment = Moment(np.random.default_rng(0), 10, evaluating=False)
    wish = np.tile([0.0, 1.0, 0.999], (50, 1))
    assert part(None, lambda: Proposal(wish), Discrete(3), 50, moment)[1].tolist() == [1] * 50


def test_evaluation_is_greedy_and_draws_nothing():
    moment = Moment(None, 0, evaluating=True)
    assert Boltzmann()(None, lambda: Proposal(np.eye(3)), Discrete(3), 3, moment)[1].tolist() == [0, 1, 2]


def test_what_it_cannot_serve_is_refused():
    with pytest.raises(Mismatch, match=r"boltzmann draws from discrete actions, .* use 'additive-noise'"):
        Boltzmann().init(Box((1,), -1, 1), 1)
    with pytest.raises(BadSetting, match=r"temperature: -1\.0 is out of range"):
        Boltzmann(temperature=-1)
