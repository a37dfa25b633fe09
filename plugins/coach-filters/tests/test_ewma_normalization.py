"""Rewards from their moving average: by hand, as a law, and several workers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_filters.reward.ewma_normalization import EwmaNormalization
from coachcore.api import BadSetting, Box, Discrete, Mismatch, Rows


def step(part, state, *rewards, evaluating=False):
    rows = Rows(np.arange(len(rewards)), first=False, evaluating=evaluating)
    state, out = part(state, np.array(rewards), rows)
    return state, out.tolist()


def test_by_hand():
    part = EwmaNormalization(alpha=0.5)
    state, out = step(part, part.init(Box(()), 2), 2.0, 4.0)
    assert (state, out) == ({"average": 3.0, "begun": True}, [-1.0, 1.0])
    state, out = step(part, state, 5.0, 5.0)
    assert (state["average"], out) == (4.0, [1.0, 1.0])


def test_an_average_that_was_saved_goes_on():
    """The old filter took the first reward after a restore for the average."""
    part = EwmaNormalization(alpha=0.5)
    state, _ = step(part, {"average": 4.0, "begun": True}, 8.0)
    assert state["average"] == 6.0


def test_an_average_of_zero_is_one():
    part = EwmaNormalization(alpha=0.5)
    state, _ = step(part, part.init(Box(()), 1), 0.0)
    state, _ = step(part, state, 4.0)
    assert state["average"] == 2.0


def test_evaluation_teaches_nothing():
    part = EwmaNormalization()
    state, _ = step(part, part.init(Box(()), 1), 3.0)
    assert step(part, state, 10.0, evaluating=True) == (state, [7.0])


def test_no_rewards_change_nothing():
    part = EwmaNormalization()
    state = part.init(Box(()), 2)
    after, out = part(state, np.empty(0), Rows(np.empty(0, int), first=False))
    assert after is state
    assert out.shape == (0,)


@given(st.lists(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=4), min_size=1, max_size=6), st.floats(0.01, 1))
def test_the_slow_twin_moves_its_average_alike(batches, alpha):
    part, average = EwmaNormalization(alpha=alpha), None
    state = part.init(Box(()), 4)
    for batch in batches:
        state, out = step(part, state, *batch)
        mean = sum(batch) / len(batch)
        average = mean if average is None else (1 - alpha) * average + alpha * mean
        assert out == pytest.approx([value - average for value in batch], abs=1e-6)


def test_the_space_is_as_wide_as_two_rewards_can_be_apart():
    assert EwmaNormalization().space(Box((), -1, 3)) == Box((), -4, 4)
    assert EwmaNormalization().space(Box(())) == Box(())
    with pytest.raises(
        Mismatch, match=r"^ewma-normalization: only real numbers \(a box\) have an average, got Discrete"
    ):
        EwmaNormalization().space(Discrete(2))


def test_workers_meet_in_the_middle():
    part = EwmaNormalization()
    nothing = part.init(Box(()), 1)
    states = [{"average": 2.0, "begun": True}, nothing, {"average": 5.0, "begun": True}]
    assert part.merge(nothing, states) == {"average": 3.5, "begun": True}
    assert part.merge(nothing, [nothing]) == nothing


@pytest.mark.parametrize("alpha", [0, 1.5, float("nan")])
def test_shares_that_are_none(alpha):
    with pytest.raises(BadSetting, match=r"^alpha: .* is out of range - must be > 0 and <= 1$"):
        EwmaNormalization(alpha=alpha)
