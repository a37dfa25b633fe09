"""Numbered transitions: every column tells the number, so that a mixed row shows."""

from __future__ import annotations

import numpy as np

from coachcore.layout import Column, Layout
from coachcore.testing.laws import require
from coachcore.types import Array, Sample


def numbered(layout: Layout, first: int, count: int) -> dict[str, Array]:
    """Transitions number `first` to ``first + count - 1``; every column tells the number, each in its own way.

    What follows a transition is what its successor begins with, and so are all channels of a picture
    but the last: pictures are like stacks of frames. For memories that know episodes, all are of
    environment 0, and one whose number is a multiple of 5 ends an episode.
    """
    numbers = np.arange(first, first + count)
    places = {column.name: place for place, column in enumerate(layout.columns)}
    columns: dict[str, Array] = {"env": np.zeros(count, np.int64), "ended": numbers % 5 == 0}
    for column in layout.columns:
        follows = column.name.startswith("next_obs.")
        place = places.get(column.name.removeprefix("next_"), places[column.name])
        offsets = np.arange(column.size).reshape(column.shape) + 10 * place + follows
        values = numbers.reshape(-1, *(1,) * len(column.shape)) + offsets
        columns[column.name] = (values % 251 if column.dtype == "uint8" else values).astype(column.dtype)
    return columns


def told(layout: Layout, sample: Sample) -> Array:
    """Which numbered transitions ``[K, B]`` were drawn, as their first float column tells."""
    name = next(c.name for c in layout.columns if c.dtype == "float32")
    first = sample.packed[..., layout.packed[name]][..., 0]
    told_by_zero = np.ravel(numbered(layout, 0, 1)[name])[0]
    numbers: Array = (first - told_by_zero).astype(np.int64)
    return numbers


def numbers_of(layout: Layout, sample: Sample) -> Array:
    """Which numbered transitions ``[K, B]`` were drawn; raises `AssertionError` where columns are mixed."""
    numbers = told(layout, sample)
    for at in np.ndindex(numbers.shape):
        wanted = numbered(layout, int(numbers[at]), 1)
        for column in layout.columns:
            found = _column(layout, sample, column)[at]
            require(
                np.array_equal(found, wanted[column.name][0]),
                f"the columns of one transition stay together, '{column.name}' is another's",
            )
    return numbers


def _column(layout: Layout, sample: Sample, column: Column) -> Array:
    if column.dtype != "float32":
        return sample.apart[column.name]
    return sample.packed[..., layout.packed[column.name]].reshape(*sample.rows.shape, *column.shape)
