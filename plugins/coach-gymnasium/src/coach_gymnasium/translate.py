"""Between Gymnasium's spaces and Coach's: what an environment shows and what it is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite, prod
from typing import Any

import attrs
import gymnasium.spaces as gym
import numpy as np

from coach_gymnasium.names import names_of
from coachcore.api import Array, BadData, Box, Discrete, Mismatch, Space, did_you_mean

ALONE = "observation"
"""Name of an observation that has none of its own."""

_FEW = 24
"""Up to here Python's loop over an observation is quicker than NumPy's."""

_SHOWS = "supported are Box, Discrete, and Dict of these"
_CHOOSE = "; choose what the agent sees with environment.observations"
_TAKES = "supported are Discrete and Box of floats"


@attrs.frozen
class Shown:
    """One named observation: where it lies in what Gymnasium returns, and what becomes of it."""

    name: str
    space: Box
    key: str | None  # in a Dict; None where the observation is all there is
    start: int | None = None  # lowest value of a Discrete, which is shown one-hot; None for a Box
    shape: tuple[int, ...] = attrs.field(init=False)
    dtype: np.dtype[Any] = attrs.field(init=False)
    bytes: bool = attrs.field(init=False)  # uint8 is always finite

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "shape", self.space.shape)
        object.__setattr__(self, "dtype", np.dtype(self.space.dtype))
        object.__setattr__(self, "bytes", self.space.dtype == "uint8")

    def read(self, raw: Any, who: str, env: int) -> Array:
        """What one environment returned -> a fresh array ``[*shape]``; `BadData` for NaN, infinity, another shape."""
        if self.key is not None:
            raw = raw[self.key]
        if self.start is not None:
            return self._one_hot(raw, who, env)
        values: Array = np.array(
            raw, self.dtype
        )  # always a copy: an environment may hand out one buffer again and again
        if values.shape != self.shape:
            raise BadData(
                f"observation '{self.name}' has shape {values.shape}, promised was {self.shape}", where=_where(who, env)
            )
        if not self.bytes and not _finite(values):
            place = int(np.flatnonzero(~np.isfinite(values))[0])
            what = f"observation '{self.name}' holds {values.reshape(-1)[place]} at place {place}"
            raise BadData(f"{what} - mend the environment or its options", where=_where(who, env))
        return values

    def read_all(self, raws: Sequence[Any], who: str, envs: Sequence[int]) -> Array:
        """`read` for several environments, ``[M, *shape]``: together where nothing is wrong, else one by one."""
        if self.start is None:
            values = _together(raws if self.key is None else [raw[self.key] for raw in raws], self.dtype)
            if values.shape == (len(raws), *self.shape) and (self.bytes or bool(np.isfinite(values).all())):
                return values
        return np.stack([self.read(raw, who, env) for raw, env in zip(raws, envs, strict=True)])

    def _one_hot(self, raw: Any, who: str, env: int) -> Array:
        index, values = int(raw) - (self.start or 0), np.zeros(self.shape, np.float32)
        if not 0 <= index < len(values):
            raise BadData(f"observation '{self.name}' is {raw}, outside its own space", where=_where(who, env))
        values[index] = 1.0
        return values


def _together(raws: Sequence[Any], dtype: Any) -> Array:
    """A fresh array of all of them; an empty one where they do not go together."""
    try:
        return np.array(raws, dtype)
    except (ValueError, TypeError):
        return np.zeros(0)


def _where(who: str, env: int) -> str:
    return f"{who}, environment {env}"


def _finite(values: Array) -> bool:
    """Whether all numbers are finite: one by one in Python while they are few (0.3 us for 4, NumPy takes 1.2)."""
    if values.size <= _FEW:
        return all(map(isfinite, values.ravel().tolist()))
    return bool(np.isfinite(values).all())


def observations(space: gym.Space[Any], who: str, keep: Sequence[str] = ()) -> tuple[Shown, ...]:
    """What is observed, by name, or only what `keep` names; raises `Mismatch` for a space no network can read."""
    parts = space.spaces if isinstance(space, gym.Dict) else {ALONE: space}
    for name in keep:
        if name not in parts:
            raise Mismatch(f"there is no observation '{name}' - {did_you_mean(name, parts)}", where=who)
    alone = not isinstance(space, gym.Dict)
    return tuple(
        _shown(name, part, None if alone else name, who) for name, part in parts.items() if not keep or name in keep
    )


def _shown(name: str, space: gym.Space[Any], key: str | None, who: str) -> Shown:
    if isinstance(space, gym.Discrete):
        return Shown(name, Box((int(space.n),), 0.0, 1.0), key, int(space.start))
    if isinstance(space, gym.Box):
        dtype = "uint8" if space.dtype == np.uint8 else "float32"
        names = names_of(who, prod(space.shape)) if len(space.shape) == 1 else ()
        return Shown(name, Box(space.shape, space.low, space.high, dtype, names), key)
    choose = "" if key is None else _CHOOSE
    raise Mismatch(f"observation '{name}' is a {type(space).__name__} space; {_SHOWS}{choose}", where=who)


def actions(space: gym.Space[Any], who: str) -> tuple[Space, Callable[[Array], Any]]:
    """The action space as agents see it, and how one action ``[...]`` is told to Gymnasium."""
    if isinstance(space, gym.Discrete):
        start = int(space.start)
        return Discrete(int(space.n)), (lambda action: int(action) + start) if start else int
    if isinstance(space, gym.Box) and np.issubdtype(space.dtype, np.floating):
        dtype = space.dtype
        return Box(space.shape, space.low, space.high), lambda action: np.array(action, dtype)
    kind = f"Box of {space.dtype}" if isinstance(space, gym.Box) else f"{type(space).__name__} space"
    raise Mismatch(f"actions are a {kind}; {_TAKES}", where=who)


def named(shown: Sequence[Shown]) -> Mapping[str, Space]:
    """The observation spaces by name."""
    return {one.name: one.space for one in shown}
