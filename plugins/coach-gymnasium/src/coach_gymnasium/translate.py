"""From what a Gymnasium environment shows to named arrays; what it is told is in `actions`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite, prod
from typing import Any

import attrs
import gymnasium.spaces as gym
import numpy as np

from coach_gymnasium.codes import coder
from coach_gymnasium.names import names_of
from coachcore.api import Array, BadData, Box, Mismatch, Space, did_you_mean

ALONE = "observation"
"""Name of an observation that has none of its own."""

_FEW = 24
"""Up to here Python's loop over an observation is quicker than NumPy's."""

_SHOWS = "supported are Box, Discrete, MultiDiscrete, MultiBinary, Text, and Dict and Tuple of these"
_CHOOSE = "; choose what the agent sees with environment.observations"


@attrs.frozen
class Shown:
    """One named observation: where it lies in what Gymnasium returns, and what becomes of it."""

    name: str
    space: Box
    path: tuple[Any, ...] = ()  # keys and places in Dicts and Tuples; empty where the observation is all there is
    code: Callable[[Any], Array] | None = None  # from one value to its array; None: numbers are taken as they are
    shape: tuple[int, ...] = attrs.field(init=False)
    dtype: np.dtype[Any] = attrs.field(init=False)
    bytes: bool = attrs.field(init=False)  # uint8 is always finite

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "shape", self.space.shape)
        object.__setattr__(self, "dtype", np.dtype(self.space.dtype))
        object.__setattr__(self, "bytes", self.space.dtype == "uint8")

    def read(self, raw: Any, who: str, env: int) -> Array:
        """What one environment returned -> a fresh array ``[*shape]``; `BadData` for NaN, infinity, another shape."""
        for key in self.path:
            raw = raw[key]
        if self.code is not None:
            return self._coded(raw, who, env)
        if self.bytes and _no_bytes(raw):
            what = f"observation '{self.name}' holds numbers that are no bytes, promised were 0 to 255"
            raise BadData(f"{what} - mend the environment or its options", where=_where(who, env))
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
        if self.code is None:
            mine = raws
            for key in self.path:
                mine = [raw[key] for raw in mine]
            values = _together(mine, self.dtype) if not (self.bytes and any(map(_no_bytes, mine))) else np.zeros(0)
            if values.shape == (len(raws), *self.shape) and (self.bytes or bool(np.isfinite(values).all())):
                return values
        return np.stack([self.read(raw, who, env) for raw, env in zip(raws, envs, strict=True)])

    def _coded(self, raw: Any, who: str, env: int) -> Array:
        try:
            return self.code(raw)  # type: ignore[misc]  # asked for only where there is one
        except (ValueError, IndexError, TypeError, KeyError):
            raise BadData(
                f"observation '{self.name}' is {raw}, outside its own space", where=_where(who, env)
            ) from None


def _together(raws: Sequence[Any], dtype: Any) -> Array:
    """A fresh array of all of them; an empty one where they do not go together."""
    try:
        return np.array(raws, dtype)
    except (ValueError, TypeError):
        return np.zeros(0)


def _no_bytes(raw: Any) -> bool:
    """Whether there is a number that would not be the same as a byte: 0.5, -1, 256 or NaN."""
    values = np.asarray(raw)
    if values.dtype == np.uint8:
        return False
    with np.errstate(invalid="ignore"):
        return not np.array_equal(values, values.astype(np.uint8))


def _where(who: str, env: int) -> str:
    return f"{who}, environment {env}"


def _finite(values: Array) -> bool:
    """Whether all numbers are finite: one by one in Python while they are few (0.3 us for 4, NumPy takes 1.2)."""
    if values.size <= _FEW:
        return all(map(isfinite, values.ravel().tolist()))
    return bool(np.isfinite(values).all())


def observations(space: gym.Space[Any], who: str, keep: Sequence[str] = ()) -> tuple[Shown, ...]:
    """What is observed, by name, or only what `keep` names; raises `Mismatch` for a space no network can read.

    Parts of a Dict keep their names, those of a Tuple are numbered: ``observation-0``; deeper ones
    are called by all the names on the way to them: ``camera-left``.
    """
    leaves = dict(_leaves(space, ALONE if isinstance(space, gym.Tuple) else "", ()))
    for name in keep:
        if name not in leaves:
            raise Mismatch(f"there is no observation '{name}' - {did_you_mean(name, leaves)}", where=who)
    return tuple(_shown(name, *leaf, who) for name, leaf in leaves.items() if not keep or name in keep)


def _leaves(space: gym.Space[Any], name: str, path: tuple[Any, ...]) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Every part that is no Dict or Tuple itself: its name, its space and the path to it."""
    if not isinstance(space, gym.Dict | gym.Tuple):
        yield name or ALONE, (space, path)
        return
    parts = space.spaces.items() if isinstance(space, gym.Dict) else enumerate(space.spaces)
    for key, part in parts:
        yield from _leaves(part, f"{name}-{key}" if name else str(key), (*path, key))


def _shown(name: str, space: gym.Space[Any], path: tuple[Any, ...], who: str) -> Shown:
    if isinstance(space, gym.Box):
        dtype = "uint8" if space.dtype == np.uint8 else "float32"
        names = names_of(who, prod(space.shape)) if len(space.shape) == 1 else ()
        return Shown(name, Box(space.shape, space.low, space.high, dtype, names), path)
    if isinstance(space, gym.MultiBinary):
        return Shown(name, Box(space.shape, 0.0, 1.0), path)
    coded = coder(space)
    if coded is None:
        choose = _CHOOSE if path else ""
        raise Mismatch(f"observation '{name}' is a {type(space).__name__} space; {_SHOWS}{choose}", where=who)
    return Shown(name, Box((coded[0],), 0.0, 1.0), path, coded[1])


def named(shown: Sequence[Shown]) -> Mapping[str, Space]:
    """The observation spaces by name."""
    return {one.name: one.space for one in shown}
