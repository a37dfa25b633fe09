"""What Gymnasium environments are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces as gym

from coach_gymnasium.actions import actions
from coachcore.api import Box, Compound, Discrete, Mismatch, MultiSelect

TAKEN = (
    gym.Discrete(3, start=5),
    gym.Box(-1, 1, (2, 3), np.float64),
    gym.Box(0, 3, (2, 2), np.int64),
    gym.Box(-2, 3, (), np.int8),
    gym.MultiBinary(4),
    gym.MultiBinary((2, 2)),
    gym.MultiDiscrete([2, 3, 4], start=[1, -1, 0]),
    gym.MultiDiscrete([[2, 3], [4, 5]]),
    gym.Tuple((gym.Discrete(2), gym.Box(-1, 1, (2,)))),
    gym.Dict({"move": gym.Box(-1, 1, (2,)), "look": gym.Tuple((gym.Box(0, 9, ()), gym.Box(0, 1, (2, 2))))}),
    gym.Dict({"keys": gym.MultiBinary(3), "more": gym.Dict({"turn": gym.Discrete(3, start=-1)})}),
)


@pytest.mark.parametrize("space", TAKEN, ids=str)
def test_whatever_coach_draws_is_an_action_there(space: Any) -> None:
    ours, told = actions(space, "Any-v0")
    drawn = ours.sample(np.random.default_rng(0), 20)
    assert ours.contains(drawn)
    said = [told(action) for action in drawn]
    assert all(space.contains(one) for one in said)
    assert len({str(one) for one in said}) > 1


@pytest.mark.parametrize(
    ("space", "ours", "action", "said"),
    [
        (gym.Discrete(3, start=5), Discrete(3), 2, 7),
        (gym.Box(-2, 3, (1,), np.int8), Discrete(6), 1, [-1]),
        (gym.MultiBinary((2, 2)), MultiSelect(4), [1, 0, 0, 1], [[1, 0], [0, 1]]),
        (gym.MultiDiscrete([2, 3], start=[1, 5]), Compound({"0": Discrete(2), "1": Discrete(3)}), [1, 2], [2, 7]),
    ],
)
def test_by_hand(space: Any, ours: Any, action: Any, said: Any) -> None:
    found, told = actions(space, "Any-v0")
    assert found == ours
    assert np.asarray(told(np.array(action, found.dtype))).tolist() == said


def test_boxes_side_by_side_are_one_box() -> None:
    space = gym.Dict({"gas": gym.Box(0, 1, ()), "wheel": gym.Tuple((gym.Box(-1, 1, (2,)), gym.Box(-3, 9, (1,))))})
    ours, told = actions(space, "Any-v0")
    assert ours == Box((4,), (0, -1, -1, -3), (1, 1, 1, 9), names=("gas", "wheel 0", "wheel 1", "wheel 2"))
    said = told(np.array([0.5, -1, 0.25, 7], np.float32))
    assert (said["gas"].tolist(), said["wheel"][0].tolist(), said["wheel"][1].tolist()) == (0.5, [-1.0, 0.25], [7.0])


def test_parts_of_several_kinds_are_side_by_side() -> None:
    ours, told = actions(gym.Dict({"jump": gym.Discrete(2), "keys": gym.MultiBinary(2)}), "Any-v0")
    assert ours == Compound({"jump": Discrete(2), "keys": MultiSelect(2)})
    said = told(np.array([1, 0, 1], np.float32))
    assert (said["jump"], said["keys"].tolist()) == (1, [0, 1])


@pytest.mark.parametrize(
    ("space", "said"),
    [
        (
            gym.Text(3),
            (
                "Any-v0: actions are a Text space; "
                "supported are Discrete, Box, MultiDiscrete, MultiBinary, and Dict and Tuple of these"
            ),
        ),
        (
            gym.Box(0, 10**6, (2,), np.int64),
            (
                "Any-v0: an action is one of 1000001 whole numbers, 65536 are the most to choose from; "
                "wrap the environment to take floats, with environment.wrappers"
            ),
        ),
        (
            gym.Box(-(2**63), 2**63 - 1, (1,), np.int64),
            (
                "Any-v0: an action is one of 18446744073709551616 whole numbers, 65536 are the most to choose from; "
                "wrap the environment to take floats, with environment.wrappers"
            ),
        ),
    ],
)
def test_actions_that_cannot_be_told(space: Any, said: str) -> None:
    with pytest.raises(Mismatch) as caught:
        actions(space, "Any-v0")
    assert str(caught.value) == said


def test_whole_numbers_are_told_as_such(made: Callable[..., Any]) -> None:
    environment = made(id="Steered-v0", options={"whole": True})
    assert environment.spaces.action == Compound({"0": Discrete(4), "1": Discrete(4)})
    environment.reset([0], [0])
    environment.step(np.array([[3, 0]], np.float32))
    told = environment._envs[0].unwrapped.told[0]
    assert (told.tolist(), told.dtype) == ([3, 0], np.int64)


def test_success_is_the_threshold_that_the_environment_was_registered_with(made: Callable[..., Any]) -> None:
    assert made(id="CartPole-v1").spaces.success == 475
    assert made().spaces.success is None
