"""Every choice that a space offers, as the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod

import numpy as np

from coachcore.api import Array, Attention, Compound, Discrete, Mismatch, MultiSelect, Space

_MANY = 100_000


def few(part: str, number: int, what: str) -> int:
    """`number`, if a table may have so many rows; raises `Mismatch` otherwise."""
    if number > _MANY:
        raise Mismatch(f"{what} make {number} actions - {_MANY} are the most", where=part)
    return number


def number_of(part: str, space: Space) -> int:
    """How many choices `space` offers; raises `Mismatch` where they cannot be counted, or are too many."""
    if isinstance(space, Discrete):
        return space.n
    if isinstance(space, MultiSelect):
        return few(part, sum(space.ways), f"at most {space.most} of {space.n} buttons")
    if isinstance(space, Compound):
        counts = [number_of(part, one) for one in space.parts.values()]
        return few(part, prod(counts), " x ".join(map(str, counts)) + " choices")
    bridge = "attention-discretization" if isinstance(space, Attention) else "box-discretization"
    raise Mismatch(
        f"the actions of {space} cannot be counted - use '{bridge}', or 'partial-discrete-map' and list those wanted",
        where=part,
    )


def choices_of(space: Space) -> Array:
    """All that a countable `space` offers, ``[A, *shape]`` in its own type.

    Buttons: fewer pressed first. Parts side by side: the last changes fastest.
    """
    if isinstance(space, Discrete):
        return np.arange(space.n)
    if isinstance(space, MultiSelect):
        sets = [pressed for size in range(space.most + 1) for pressed in combinations(range(space.n), size)]
        table = np.zeros((len(sets), space.n), np.int64)
        for row, pressed in zip(table, sets, strict=True):
            row[list(pressed)] = 1
        return table[0 if space.none else 1 :]
    assert isinstance(space, Compound)  # noqa: S101 - `number_of` was asked before
    return side_by_side([choices_of(part) for part in space.parts.values()])


def side_by_side(tables: Sequence[Array]) -> Array:
    """Every combination of a row of each of `tables`, the last one changing fastest, ``[A, W]`` float32."""
    places = np.indices([len(table) for table in tables]).reshape(len(tables), -1)
    rows = [table.reshape(len(table), -1)[place] for table, place in zip(tables, places, strict=True)]
    return np.concatenate(rows, axis=1).astype(np.float32)


def nearest(table: Array, values: Array) -> Array:
    """The places ``[N]`` of the rows of `table` ``[A, ...]`` that are nearest to `values` ``[N, ...]``."""
    wide = table.reshape(len(table), -1).astype(np.float64)
    rows = values.reshape(len(values), -1)
    return np.array([int(np.square(wide - row).sum(axis=1).argmin()) for row in rows], np.int64)
