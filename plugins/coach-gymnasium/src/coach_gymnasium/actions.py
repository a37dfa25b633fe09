"""From an agent's actions to what a Gymnasium environment is told."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import gymnasium.spaces as gym
import numpy as np

from coachcore.api import Array, Box, Compound, Discrete, Mismatch, MultiSelect, Space

_TAKES = "supported are Discrete, Box, MultiDiscrete, MultiBinary, and Dict and Tuple of these"
_MANY = 65_536

Tell = Callable[[Any], Any]


def actions(space: gym.Space[Any], who: str) -> tuple[Space, Tell]:
    """The action space, and how one action ``[...]`` is told to Gymnasium; raises `Mismatch`.

    A Discrete or a Box of floats is what agents know, and a Dict or Tuple of such
    boxes is one longer box. The others need an action filter: MultiBinary is a
    `MultiSelect`; MultiDiscrete, whole numbers and mixed Dicts and Tuples are `Compound`.
    """
    if isinstance(space, gym.Discrete):
        start = np.int64(space.start)  # NumPy's, as every vector environment gives: checked faster than Python's
        return Discrete(int(space.n)), (lambda action: np.int64(action) + start) if start else np.int64
    if isinstance(space, gym.Box) and np.issubdtype(space.dtype, np.floating):
        dtype, shape = space.dtype, space.shape
        return Box(shape, space.low, space.high), lambda action: np.array(action, dtype).reshape(shape)
    if isinstance(space, gym.MultiBinary):
        shape = space.shape
        return MultiSelect(prod(shape)), lambda action: np.array(action, np.int8).reshape(shape)
    if isinstance(space, gym.MultiDiscrete):
        return _whole(space.nvec, space.start, space.dtype, who)
    if isinstance(space, gym.Box):
        low, high = space.low.astype(object), space.high.astype(object)  # exact also at the ends of int64
        return _whole(high - low + 1, low, space.dtype, who)
    if isinstance(space, gym.Dict | gym.Tuple):
        return _joined(space, who)
    raise Mismatch(f"actions are a {type(space).__name__} space; {_TAKES}", where=who)


def _whole(sizes: Array, starts: Array, dtype: Any, who: str) -> tuple[Space, Tell]:
    """Whole numbers of so many values each, from `starts` on; a single one is a `Discrete`."""
    shape, counts = np.shape(sizes), [int(size) for size in np.ravel(sizes)]
    if max(counts, default=0) > _MANY:
        raise Mismatch(
            f"an action is one of {max(counts)} whole numbers, {_MANY} are the most to choose from; "
            "wrap the environment to take floats, with environment.wrappers",
            where=who,
        )
    offsets = np.reshape(starts, shape).astype(np.int64)

    def told(action: Any) -> Any:
        return np.asarray(np.asarray(action).astype(np.int64).reshape(shape) + offsets, dtype)

    if len(counts) == 1:
        return Discrete(counts[0]), told
    return Compound({str(place): Discrete(count) for place, count in enumerate(counts)}), told


def _joined(space: gym.Dict | gym.Tuple, who: str) -> tuple[Space, Tell]:
    """The parts side by side; one longer box where they are nothing but boxes."""
    named = dict(space.spaces.items()) if isinstance(space, gym.Dict) else dict(enumerate(space.spaces))
    parts = {key: actions(part, who) for key, part in named.items()}
    spaces = {str(key): part for key, (part, _) in parts.items()}
    ends = np.cumsum([prod(part.shape) for part in spaces.values()]).tolist()
    cuts = list(zip([0, *ends], ends, spaces.values(), [tell for _, tell in parts.values()], strict=False))
    keys = list(named)

    def told(action: Any) -> Any:
        values = [tell(action[start] if part.shape == () else action[start:end]) for start, end, part, tell in cuts]
        return dict(zip(keys, values, strict=True)) if isinstance(space, gym.Dict) else tuple(values)

    boxes = [part for part in spaces.values() if isinstance(part, Box)]
    if len(boxes) < len(spaces):
        return Compound(spaces), told
    low, high = (np.concatenate([np.ravel(side) for side in sides]) for sides in zip(*map(_ends, boxes), strict=True))
    names = [f"{key} {at}" if part.shape else key for key, part in spaces.items() for at in range(prod(part.shape))]
    return Box(low.shape, low, high, names=tuple(names)), told


def _ends(box: Box) -> tuple[Array, Array]:
    return box.low, box.high
