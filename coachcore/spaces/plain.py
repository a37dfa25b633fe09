"""The two spaces that networks and agents know: real numbers, and one of a few actions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import attrs
import numpy as np

from coachcore.errors import BadSetting
from coachcore.types import Array


def _shape(shape: Iterable[int]) -> tuple[int, ...]:
    sides = tuple(int(n) for n in shape)
    if min(sides, default=0) < 0:
        raise BadSetting(f"no side of a space is negative, got shape {sides}")
    return sides


def _bound(value: Any, shape: tuple[int, ...], dtype: str) -> Array:
    bound = np.asarray(value, dtype="float64")
    if dtype == "uint8":  # bytes are bounded by nature: an infinite side is 0 or 255
        bound = np.where(np.isinf(bound), np.where(bound < 0, 0.0, 255.0), bound)
        if not np.all((bound >= 0) & (bound <= 255)):
            raise BadSetting(f"a bound of a uint8 box lies from 0 to 255, got {value}")
        bound = bound.astype("uint8")
    try:
        bound = np.broadcast_to(bound, shape).copy()
    except ValueError:
        raise BadSetting(f"a bound of shape {np.shape(value)} does not fit a space of shape {shape}") from None
    bound.flags.writeable = False
    return bound


def check_names(names: tuple[str, ...], wanted: int) -> None:
    """Raise `BadSetting` unless there are as many names as `wanted`, or none."""
    if names and len(names) != wanted:
        raise BadSetting(f"{len(names)} names were given for {wanted} components: {', '.join(names)}")


@attrs.frozen(eq=False, repr=False)
class Box:
    """Real vectors, tensors or images: `shape` without the environment axis, inclusive bounds.

    A scalar bound is spread over the whole shape. `dtype` is ``float32`` or
    ``uint8`` (images stay bytes until the network scales them).
    """

    shape: tuple[int, ...] = attrs.field(converter=_shape)
    low: Any = -np.inf
    high: Any = np.inf
    dtype: str = "float32"
    names: tuple[str, ...] = ()  # one a place on the last axis: measurements, parts of an action, maps

    def __attrs_post_init__(self) -> None:
        if self.dtype not in ("float32", "uint8"):
            raise BadSetting(f"a box holds float32 or uint8 numbers, got '{self.dtype}'")
        check_names(self.names, self.shape[-1] if self.shape else 1)
        object.__setattr__(self, "low", _bound(self.low, self.shape, self.dtype))
        object.__setattr__(self, "high", _bound(self.high, self.shape, self.dtype))
        wrong = np.flatnonzero(~(self.low <= self.high))  # said this way round, NaN is refused too
        if wrong.size:
            low, high = self.low.flat[wrong[0]], self.high.flat[wrong[0]]
            raise BadSetting(f"a box needs low <= high everywhere, got low {low:g} and high {high:g}")

    @property
    def bounded(self) -> bool:
        return bool(np.all(np.isfinite(self.low)) and np.all(np.isfinite(self.high)))

    def contains(self, values: Array) -> bool:
        """Whether every row of `values` ``[N, *shape]`` lies in the box (bounds included).

        Numbers are compared in the box's own precision: the float32 nearest to a bound is inside.
        """
        if values.shape[1:] != self.shape:
            return False
        low, high = self.low, self.high
        if self.dtype == "float32":
            with np.errstate(over="ignore"):
                values, low, high = (part.astype("float32") for part in (values, low, high))
        return bool(np.all(values >= low) and np.all(values <= high))

    def sample(self, rng: np.random.Generator, count: int) -> Array:
        """Uniform draws ``[count, *shape]``; an unbounded side is drawn as a standard normal."""
        shape = (count, *self.shape)
        low, high = np.where(np.isfinite(self.low), self.low, 0.0), np.where(np.isfinite(self.high), self.high, 1.0)
        uniform = rng.uniform(np.minimum(low, high), np.maximum(low, high), shape)
        open_sided = ~(np.isfinite(self.low) & np.isfinite(self.high))
        drawn = np.where(open_sided, np.clip(rng.standard_normal(shape), self.low, self.high), uniform)
        return drawn.astype(self.dtype)

    def clip(self, values: Array) -> Array:
        """The nearest values ``[N, *shape]`` that lie in the box."""
        return np.clip(values, self.low, self.high).astype(self.dtype)

    def describe(self, values: Array) -> str:
        """Numbers ``[*shape]`` in words: ``"steer 0.5, gas 1"``."""
        flat = np.ravel(values).tolist()
        names = self.names * (len(flat) // max(len(self.names), 1)) or ("",) * len(flat)
        return ", ".join(f"{name} {value:g}".strip() for name, value in zip(names, flat, strict=True))

    def __repr__(self) -> str:
        ends = f"{self.low.min():g} to {self.high.max():g}" if self.low.size else "empty"
        return f"Box({self.shape}, {ends}, {self.dtype})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Box)
            and (self.shape, self.dtype, self.names) == (other.shape, other.dtype, other.names)
            and bool(np.array_equal(self.low, other.low) and np.array_equal(self.high, other.high))
        )

    __hash__ = None  # type: ignore[assignment]


@attrs.frozen
class Discrete:
    """One of `n` actions, numbered 0 to n - 1."""

    dtype: ClassVar[str] = "int64"
    n: int = attrs.field(converter=int)
    names: tuple[str, ...] = ()

    def __attrs_post_init__(self) -> None:
        if self.n < 1:
            raise BadSetting(f"a discrete space needs at least one element, got n = {self.n}")
        check_names(self.names, self.n)

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    def contains(self, values: Array) -> bool:
        """Whether every entry of `values` ``[N]`` is a whole number from 0 to n - 1."""
        whole = np.equal(values, np.floor(values))
        return values.ndim == 1 and bool(np.all(whole) and np.all(values >= 0) and np.all(values < self.n))

    def sample(self, rng: np.random.Generator, count: int) -> Array:
        """Uniform draws ``[count]`` int64."""
        return rng.integers(0, self.n, count)

    def clip(self, values: Array) -> Array:
        """The nearest actions ``[N]`` that there are."""
        return np.clip(values, 0, self.n - 1)

    def describe(self, action: Any) -> str:
        """The action's name, or its number as text where none was given."""
        if not 0 <= action < self.n:
            raise BadSetting(f"action {action} is not one of 0..{self.n - 1}")
        return self.names[int(action)] if self.names else str(int(action))
