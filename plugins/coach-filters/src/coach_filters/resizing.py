"""Pictures of another size: each new pixel is the mean of the old ones under it."""

from __future__ import annotations

from functools import lru_cache
from math import gcd

import numpy as np

from coach_filters.observation.shapes import boxed
from coachcore.api import Array, Box, Mismatch, Space, State

_CHANNELS = 4
"""More than these along the last axis and no more along the first: the channels come first."""
_BLOCK = 16
"""Old pixels in a block of shares, at least: smaller products cost more in calls than they save in sums."""


def picture(part: str, before: Space) -> Box:
    """`before`, if its values are ``[H, W]`` or ``[H, W, C]``; raises `Mismatch` otherwise."""
    box = boxed(part, before)
    if len(box.shape) not in (2, 3):
        raise Mismatch(f"only pictures [H, W] or [H, W, C] can be rescaled, got {box.shape}", where=part)
    if len(box.shape) == 3 and box.shape[0] <= _CHANNELS < box.shape[2]:
        raise Mismatch(
            f"values of shape {box.shape} seem to have their channels first - put 'move-axis' before this filter",
            where=part,
        )
    return box


def resized_box(box: Box, size: tuple[int, ...]) -> Box:
    """The space of pictures of `box` in the new `size`; maps keep their names."""
    channels = box.shape[2:]
    low, high = box.low.min(axis=(0, 1)), box.high.max(axis=(0, 1))
    return Box((*size, *channels), low, high, box.dtype, box.names if channels else ())


def limits(box: Box) -> State:
    """What rounding must not pass, ``[2, C]`` or ``[2]`` float32; None for bytes, whose sums are exact."""
    if box.dtype == "uint8":
        return None
    return np.stack([box.low.min(axis=(0, 1)), box.high.max(axis=(0, 1))]).astype(np.float32)


def resized(values: Array, size: tuple[int, ...], edges: State) -> Array:
    """Pictures ``[M, H, W(, C)]`` in the new size; bytes stay bytes, rounded to the nearest.

    A new pixel covers whole numbers of parts of old ones, so that bytes add up
    without any rounding (up to some 65,000 old pixels to a block) and the same
    picture gives the same bytes on every machine. Only the diagonal blocks of the
    two matrices of shares are multiplied: an eighth of the work from 160 to 84.
    """
    count, height, width, *channels = values.shape
    down, across = shares(height, size[0]), _turned(width, size[1])
    planes = values.transpose(0, 3, 1, 2) if channels else values  # [M, C, H, W]
    rows = planes.astype(np.float32, order="C").reshape(count, -1, len(across))
    halfway = np.matmul(rows, across).reshape(count, -1, down.shape[1], size[1])  # [M, C * blocks, old, w]
    found = np.matmul(down, halfway).reshape(count, *channels, *size)
    found /= np.float32(height // gcd(height, size[0]) * (width // gcd(width, size[1])))
    found = found.transpose(0, 2, 3, 1) if channels else found
    if values.dtype == np.uint8:
        return np.rint(found, out=found).astype(np.uint8)
    return np.minimum(np.maximum(found, edges[0]), edges[1])


@lru_cache(maxsize=64)
def shares(before: int, after: int) -> Array:
    """How much of each old pixel of a block lies in each new one, ``[new, old]`` float32 whole numbers.

    A side is so many blocks of `old` pixels that become `new` ones; each row adds up to ``before / gcd``.
    """
    common = gcd(before, after)
    old, new = before // common, after // common
    times = next(n for n in range(1, common + 1) if common % n == 0 and (n * old >= _BLOCK or n == common))
    starts, places = np.arange(new * times)[:, None] * old, np.arange(old * times) * new
    overlap = np.minimum(starts + old, places + new) - np.maximum(starts, places)
    found: Array = np.maximum(overlap, 0).astype(np.float32)
    found.flags.writeable = False
    return found


@lru_cache(maxsize=64)
def _turned(before: int, after: int) -> Array:
    """`shares` with the old pixels first, which is the quicker way to multiply by them from the right."""
    found: Array = np.ascontiguousarray(shares(before, after).T)
    found.flags.writeable = False
    return found
