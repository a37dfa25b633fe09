"""What an environment may ask for besides, until an action filter makes a `Box` or a `Discrete` of it."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb, prod
from typing import TYPE_CHECKING, ClassVar

import attrs
import numpy as np

from coachcore.errors import BadSetting
from coachcore.spaces.plain import Box, check_names
from coachcore.types import Array

if TYPE_CHECKING:
    from coachcore.spaces import Space


@attrs.frozen
class MultiSelect:
    """Any of `n` buttons at once, at most `most` of them: zeros and ones, ``[N, n]`` int64."""

    dtype: ClassVar[str] = "int64"
    n: int = attrs.field(converter=int)
    most: int = attrs.field(default=attrs.Factory(lambda self: self.n, takes_self=True), converter=int)
    none: bool = True  # may no button be pressed at all?
    names: tuple[str, ...] = ()

    def __attrs_post_init__(self) -> None:
        if not 1 <= self.most <= self.n:
            raise BadSetting(f"of {self.n} buttons, 1 to {self.n} can be pressed at once, got most = {self.most}")
        check_names(self.names, self.n)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.n,)

    @property
    def ways(self) -> tuple[int, ...]:
        """In how many ways 0, 1, ... `most` buttons can be pressed."""
        return (int(self.none), *(comb(self.n, pressed) for pressed in range(1, self.most + 1)))

    def contains(self, values: Array) -> bool:
        """Whether every row of `values` ``[N, n]`` is one of the choices."""
        if values.shape[1:] != self.shape:
            return False
        pressed = values.sum(axis=1)
        enough = np.all((pressed >= 1 - self.none) & (pressed <= self.most))
        return bool(np.all((values == 0) | (values == 1)) and enough)

    def sample(self, rng: np.random.Generator, count: int) -> Array:
        """Draws ``[count, n]``, every choice as likely as any other."""
        shares = np.array(self.ways, float)
        pressed = rng.choice(len(shares), count, p=shares / shares.sum())
        return (rng.random((count, self.n)).argsort(axis=1) < pressed[:, None]).astype(np.int64)

    def clip(self, values: Array) -> Array:
        """The values as they are: no choice is nearer than another."""
        return values

    def describe(self, buttons: Array) -> str:
        """The names of the buttons pressed ``[n]``, or their numbers: ``"left + fire"``, ``"no-op"``."""
        if not self.contains(np.asarray(buttons)[None]):
            raise BadSetting(f"{np.asarray(buttons).tolist()} is not a choice of at most {self.most} of {self.n}")
        pressed = np.flatnonzero(buttons).tolist()
        return " + ".join(self.names[place] if self.names else str(place) for place in pressed) or "no-op"


@attrs.frozen
class Attention:
    """A window in a box ``[D]``: its lowest and its highest corner, ``[N, 2, D]`` float32."""

    dtype: ClassVar[str] = "float32"
    within: Box
    size: float | None = None  # length of every side of the window; None: any

    def __attrs_post_init__(self) -> None:
        if len(self.within.shape) != 1 or not self.within.bounded:
            raise BadSetting(f"a window lies in a vector space with finite bounds, got {self.within}")
        if self.size is not None and not np.all(self.size <= self.within.high - self.within.low):
            raise BadSetting(f"a window of size {self.size} is larger than the space that it lies in")

    @property
    def shape(self) -> tuple[int, ...]:
        return (2, *self.within.shape)

    def contains(self, values: Array) -> bool:
        """Whether every window of `values` ``[N, 2, D]`` lies in the space and has the size."""
        if values.shape[1:] != self.shape or not all(self.within.contains(values[:, corner]) for corner in (0, 1)):
            return False
        sides = values[:, 1] - values[:, 0]
        return bool(np.all(sides >= 0 if self.size is None else np.isclose(sides, self.size, rtol=1e-4)))

    def sample(self, rng: np.random.Generator, count: int) -> Array:
        """Windows ``[count, 2, D]``: a lowest corner drawn evenly, then a highest one above it."""
        low, high = self.within.low, self.within.high
        start = rng.uniform(low, high - (self.size or 0.0), (count, *self.within.shape))
        end = rng.uniform(start, high) if self.size is None else start + self.size
        return self.clip(np.stack([start, end], axis=1))

    def clip(self, values: Array) -> Array:
        """Windows ``[N, 2, D]`` cut off at the edges of the space."""
        return self.within.clip(values)

    def describe(self, values: Array) -> str:
        """``"4, 5 to 8, 9"``"""
        return f"{self.within.describe(values[0])} to {self.within.describe(values[1])}"


@attrs.frozen
class Compound:
    """Several spaces side by side: one row of all their numbers, ``[N, W]`` float32 (exact up to 2**24)."""

    dtype: ClassVar[str] = "float32"
    parts: Mapping[str, Space]

    @property
    def shape(self) -> tuple[int, ...]:
        return (sum(prod(part.shape) for part in self.parts.values()),)

    def split(self, values: Array) -> dict[str, Array]:
        """The values of every part by name, each ``[N, *shape]``."""
        found, start = {}, 0
        for name, part in self.parts.items():
            end = start + prod(part.shape)
            found[name], start = values[:, start:end].reshape(len(values), *part.shape), end
        return found

    def join(self, values: Mapping[str, Array]) -> Array:
        """The row ``[N, W]`` that `split` takes apart."""
        rows = [np.reshape(values[name], (len(values[name]), prod(part.shape))) for name, part in self.parts.items()]
        return np.concatenate(rows, axis=1).astype(np.float32)

    def contains(self, values: Array) -> bool:
        """Whether every part of `values` ``[N, W]`` lies in its space."""
        fits = values.shape[1:] == self.shape
        return fits and all(self.parts[name].contains(own) for name, own in self.split(values).items())

    def sample(self, rng: np.random.Generator, count: int) -> Array:
        """Draws ``[count, W]``, part by part."""
        return self.join({name: part.sample(rng, count) for name, part in self.parts.items()})

    def clip(self, values: Array) -> Array:
        """The nearest rows ``[N, W]`` that there are, part by part."""
        return self.join({name: self.parts[name].clip(own) for name, own in self.split(values).items()})

    def describe(self, values: Array) -> str:
        """``"turn: left, speed: 0.5"``"""
        parts = self.split(np.asarray(values)[None]).items()
        return ", ".join(f"{name}: {self.parts[name].describe(own[0])}" for name, own in parts)
