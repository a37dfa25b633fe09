"""Observations that are no numbers, as rows of zeros and ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium.spaces as gym
import numpy as np

from coachcore.api import Array

Code = Callable[[Any], Array]


def coder(space: gym.Space[Any]) -> tuple[int, Code] | None:
    """How long the row for a value of `space` is, and what makes it ``[F]``; None for a space without numbers.

    The code raises `ValueError`, `KeyError` or `TypeError` for what lies outside of the space.
    """
    if isinstance(space, gym.Discrete):
        return int(space.n), _one(int(space.n), int(space.start))
    if isinstance(space, gym.MultiDiscrete):
        return int(space.nvec.sum()), _several(space.nvec.ravel(), space.start.ravel())
    if isinstance(space, gym.Text):
        places = {character: number for number, character in enumerate(space.character_list)}
        return space.max_length * len(places), _spelled(places, space.max_length)
    return None


def _one(size: int, start: int) -> Code:
    def code(raw: Any) -> Array:
        index, row = int(raw) - start, np.zeros(size, np.float32)
        if not 0 <= index < size:
            raise ValueError(raw)
        row[index] = 1.0
        return row

    return code


def _several(sizes: Array, starts: Array) -> Code:
    places, total = np.cumsum(sizes) - sizes, int(sizes.sum())

    def code(raw: Any) -> Array:
        given, row = np.ravel(raw), np.zeros(total, np.float32)
        if given.shape != sizes.shape or ((given < starts) | (given >= starts + sizes)).any():
            raise ValueError(raw)
        row[places + given - starts] = 1.0
        return row

    return code


def _spelled(places: dict[str, int], length: int) -> Code:
    """A row of as many numbers as there are characters for each place; nothing but zeros past the end."""

    def code(raw: Any) -> Array:
        if len(raw) > length:
            raise ValueError(raw)
        row = np.zeros((length, len(places)), np.float32)
        for at, character in enumerate(raw):
            row[at, places[character]] = 1.0
        return row.ravel()

    return code
