"""The other way round: Coach's spaces as Gymnasium's, for wrappers and tools that know only these."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from coachcore.api import Array, Attention, Box, Compound, Discrete, Mismatch, Space, Spaces


def space_of(space: Space) -> gym.Space[Any]:
    """One value of `space`, without the axis of environments, as Gymnasium describes it.

    A window of attention is a box of its two corners. Raises `Mismatch` for buttons of which not
    every combination can be pressed: Gymnasium has no word for that.
    """
    if isinstance(space, Discrete):
        return gym.spaces.Discrete(space.n)
    if isinstance(space, Box):
        return _box(space.low, space.high, space.dtype)
    if isinstance(space, Attention):
        return _box(*(np.stack([end, end]) for end in (space.within.low, space.within.high)), space.dtype)
    if isinstance(space, Compound):
        return gym.spaces.Dict({name: space_of(part) for name, part in space.parts.items()})
    if space.most < space.n or not space.none:
        raise Mismatch(f"Gymnasium's buttons can all be pressed at once, and none of them: {space} cannot be told")
    return gym.spaces.MultiBinary(space.n)


def _box(low: Array, high: Array, dtype: str) -> gym.spaces.Box:
    return gym.spaces.Box(low.astype(dtype), high.astype(dtype), dtype=np.dtype(dtype).type)


def spaces_of(spaces: Spaces) -> tuple[gym.spaces.Dict, gym.Space[Any]]:
    """What is observed, by name, and the actions."""
    shown = gym.spaces.Dict({name: space_of(space) for name, space in spaces.observation.items()})
    return shown, space_of(spaces.action)
