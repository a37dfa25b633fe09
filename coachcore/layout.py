"""How a transition lies in memory: float columns packed into one row, bytes beside it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import prod

import attrs

from coachcore.errors import UnknownName, did_you_mean
from coachcore.spaces import Discrete, Spaces


@attrs.frozen
class Column:
    """One named value of a transition: `shape` without the batch axis."""

    name: str
    shape: tuple[int, ...] = ()
    dtype: str = "float32"

    @property
    def size(self) -> int:
        return prod(self.shape)


@attrs.frozen(slots=False)
class Layout:
    """The columns of a transition, in order, and where each float column lies in the packed row.

    Names are ``obs.<name>``, ``action``, ``reward``, ``discount``,
    ``next_obs.<name>`` and whatever the agent keeps besides; rows that are used
    once have ``advantage`` and ``return`` instead of what leads to them. Whole numbers up to
    2**24 (discrete actions) are exact in float32, so one row holds them all;
    ``uint8`` columns (images) are stored apart, as bytes.
    """

    columns: tuple[Column, ...]

    @classmethod
    def of(cls, spaces: Spaces, keep: tuple[Column, ...] = (), *, fresh: bool = False) -> Layout:
        """The layout for an agent that sees `spaces` (after filters)."""
        observations = sorted(spaces.observation.items())
        before = [Column(f"obs.{name}", space.shape, _dtype(space.dtype)) for name, space in observations]
        if fresh:
            action = Column("action", () if isinstance(spaces.action, Discrete) else spaces.action.shape)
            return cls((*before, action, *keep, Column("advantage"), Column("return")))
        after = [Column(f"next_obs.{name}", space.shape, _dtype(space.dtype)) for name, space in observations]
        action = Column("action", () if isinstance(spaces.action, Discrete) else spaces.action.shape)
        return cls((*before, action, Column("reward"), Column("discount"), *after, *keep))

    @cached_property
    def packed(self) -> Mapping[str, slice]:
        """Float column -> its slice of the packed row."""
        slices, start = {}, 0
        for column in self.columns:
            if column.dtype == "float32":
                slices[column.name] = slice(start, start + column.size)
                start += column.size
        return slices

    @cached_property
    def apart(self) -> tuple[Column, ...]:
        """The columns that are not float32."""
        return tuple(column for column in self.columns if column.dtype != "float32")

    @cached_property
    def width(self) -> int:
        """W: how many float32 numbers a packed row holds."""
        return sum(column.size for column in self.columns if column.dtype == "float32")

    def __getitem__(self, name: str) -> Column:
        """The column called `name`; raises `UnknownName` when there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise UnknownName(f"no column is called '{name}' - {did_you_mean(name, (c.name for c in self.columns))}")


def _dtype(dtype: str) -> str:
    return "uint8" if dtype == "uint8" else "float32"
