"""Flipping bits, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_toys.bit_flip import BitFlip
from coachcore.api import BadSetting, spec_of
from coachcore.testing.environment import EnvironmentConformance


class TestConformance(EnvironmentConformance):
    @pytest.fixture(
        params=[BitFlip(), BitFlip(bit_length=1), BitFlip(bit_length=3, mean_zero=True), BitFlip(max_steps=0)]
    )
    def part(self, request: pytest.FixtureRequest) -> BitFlip:
        return request.param


def test_spec() -> None:
    assert spec_of(BitFlip).aliases == ("BitFlip",)


def test_each_action_flips_its_bit() -> None:
    environment = BitFlip(bit_length=4).make(1)
    before = environment.reset([0], [3])
    bits, goal = before["observation"][0], before["desired_goal"][0]
    assert before["achieved_goal"][0].tolist() == bits.tolist()
    step = environment.step(np.array([2]))
    flipped = [float(bit) if i != 2 else 1.0 - bit for i, bit in enumerate(bits)]
    assert step.obs["observation"][0].tolist() == flipped == step.obs["achieved_goal"][0].tolist()
    assert step.obs["desired_goal"][0].tolist() == goal.tolist()


@given(st.integers(1, 6), st.integers(0, 2**31 - 1), st.booleans())
def test_flipping_what_differs_reaches_the_goal_at_a_price_of_one_a_step(length: int, seed: int, mean: bool) -> None:
    environment = BitFlip(bit_length=length, mean_zero=mean).make(1)
    obs = environment.reset([0], [seed])
    wrong = np.flatnonzero(obs["observation"][0] != obs["desired_goal"][0])
    assert len(wrong)
    assert set(np.unique(obs["observation"])) <= ({-1.0, 1.0} if mean else {0.0, 1.0})
    rewards = []
    for bit in wrong:
        step = environment.step(np.array([bit]))
        rewards.append(float(step.reward[0]))
    assert rewards == [-1.0] * (len(wrong) - 1) + [0.0]
    assert (bool(step.terminated[0]), bool(step.truncated[0])) == (True, False)


@pytest.mark.parametrize(("most", "steps"), [(None, 5), (3, 3)])
def test_running_out_of_steps_truncates(most: int | None, steps: int) -> None:
    environment = BitFlip(bit_length=5, max_steps=most).make(1)
    obs = environment.reset([0], [0])
    right = int(np.flatnonzero(obs["observation"][0] == obs["desired_goal"][0])[0])
    wrong = int(np.flatnonzero(obs["observation"][0] != obs["desired_goal"][0])[0])
    seen = [environment.step(np.array([right if i % 2 else wrong if i == -1 else right])) for i in range(steps)]
    assert [bool(step.truncated[0]) for step in seen] == [False] * (steps - 1) + [True]
    assert not any(step.terminated[0] for step in seen)


def test_no_limit() -> None:
    environment = BitFlip(bit_length=2, max_steps=0).make(1)
    obs = environment.reset([0], [1])
    same = np.flatnonzero(obs["observation"][0] == obs["desired_goal"][0])
    away = [int(same[0])] if len(same) else [0]
    for _ in range(100):
        step = environment.step(np.array(away))
        assert not step.truncated[0]


def test_pictures() -> None:
    assert BitFlip().make(1).render() is None
    environment = BitFlip(bit_length=3).make(1, render=True)
    obs = environment.reset([0], [0])
    picture = environment.render()
    assert picture is not None
    assert picture.shape == (48, 72, 3)
    green = [[picture[12 + 24 * row, 12 + 24 * bit, 1] == 170 for bit in range(3)] for row in range(2)]
    assert green == [(obs["observation"][0] == 1).tolist(), (obs["desired_goal"][0] == 1).tolist()]


def test_bad_settings() -> None:
    with pytest.raises(BadSetting, match="bit_length: 0 is out of range - must be >= 1"):
        BitFlip(bit_length=0)
