"""Coach's spaces as Gymnasium's: by hand, and what is drawn here lies in the space there."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from coach_gymnasium.actions import actions
from coach_gymnasium.back import space_of, spaces_of
from coach_gymnasium.translate import named, observations
from coachcore.api import Attention, Box, Compound, Discrete, Mismatch, MultiSelect, Spaces

BOX = Box((2,), [-1.0, 0.0], [1.0, 5.0])


def test_by_hand() -> None:
    assert space_of(Discrete(3)) == gym.spaces.Discrete(3)
    assert space_of(BOX) == gym.spaces.Box(np.array([-1, 0], np.float32), np.array([1, 5], np.float32))
    assert space_of(Box((4, 4, 3), 0, 255, "uint8")) == gym.spaces.Box(0, 255, (4, 4, 3), np.uint8)
    assert space_of(MultiSelect(4)) == gym.spaces.MultiBinary(4)
    assert space_of(Attention(BOX)).shape == (2, 2)
    both = Compound({"turn": Discrete(3), "speed": BOX})
    assert space_of(both) == gym.spaces.Dict({"turn": gym.spaces.Discrete(3), "speed": space_of(BOX)})


@pytest.mark.parametrize("space", [Discrete(5), BOX, Box((3,)), MultiSelect(3), Attention(BOX, size=0.5)])
def test_what_is_drawn_here_lies_there(space: Box) -> None:
    there = space_of(space)
    for value in space.sample(np.random.default_rng(0), 50):
        assert there.contains(value.astype(there.dtype))


@pytest.mark.parametrize(
    "space", [gym.spaces.Discrete(4), gym.spaces.Box(-1.0, 2.0, (3,), np.float32), gym.spaces.MultiBinary(4)]
)
def test_there_and_back_again(space: gym.Space) -> None:
    assert space_of(actions(space, "made-up")[0]) == space


def test_all_that_an_environment_shows() -> None:
    shown = gym.spaces.Dict(
        {"eye": gym.spaces.Box(0, 255, (8, 8, 3), np.uint8), "speed": gym.spaces.Box(-1.0, 1.0, (2,))}
    )
    spaces = Spaces(observation=named(observations(shown, "made-up")), action=Discrete(2))
    assert spaces_of(spaces) == (shown, gym.spaces.Discrete(2))


@pytest.mark.parametrize("space", [MultiSelect(4, most=2), MultiSelect(4, none=False)])
def test_buttons_that_gymnasium_cannot_tell(space: MultiSelect) -> None:
    with pytest.raises(Mismatch, match="can all be pressed at once"):
        space_of(space)
