"""From colours to brightness."""

from __future__ import annotations

from functools import lru_cache
from math import gcd

import attrs
import numpy as np

from coach_filters.observation.shapes import boxed
from coach_filters.opencv import SHARES, brightness
from coachcore.api import Array, Box, Mismatch, Rows, Space, State, component

_REAL: Array = np.array([0.299, 0.587, 0.114], np.float32)
_PIXELS = 8
"""Pixels in a row of a product: the zeros between them cost less than rows of three numbers."""


@component("filter", "rgb-to-y", aliases=("ObservationRGBToYFilter",), acts_on="observation")
@attrs.frozen(kw_only=True)
class RGBToY:
    """Brightness ``0.299 R + 0.587 G + 0.114 B``: ``[H, W, 3] -> [H, W]`` (ITU-R BT.601).

    Bytes stay bytes: there the shares are 9798, 19235 and 3735 of 32768, rounded
    to the nearest, which OpenCV does alike: where it is installed
    (``coach-filters[opencv]``) it is used, five times as fast for the same bytes.
    The old filter's shares summed to 0.9999 and it made bytes float64.
    """

    def space(self, before: Space) -> Box:
        box = boxed("rgb-to-y", before)
        if len(box.shape) != 3 or box.shape[-1] != 3:
            raise Mismatch(f"rgb-to-y needs pictures [H, W, 3], got values of shape {box.shape}", where="rgb-to-y")
        return Box(box.shape[:2], box.low.min(axis=-1), box.high.max(axis=-1), box.dtype)

    def init(self, before: Space, count: int) -> State:
        return None

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        return None, _of_bytes(values) if values.dtype == np.uint8 else _of_numbers(values)


def _of_bytes(values: Array) -> Array:
    """Shares have 15 binary digits behind the point, and sums 23 in all, which float32 holds: no machine rounds."""
    quick = brightness()
    if quick is not None:
        return quick(values.reshape(-1, *values.shape[2:])).reshape(values.shape[:-1])
    at_once = _at_once(gcd(values.size // 3, _PIXELS))
    found = values.reshape(-1, len(at_once)).astype(np.float32) @ at_once
    found += np.float32(0.5)
    return found.astype(np.uint8).reshape(values.shape[:-1])


@lru_cache(maxsize=8)
def _at_once(pixels: int) -> Array:
    """The shares of so many pixels in one product, ``[3 * pixels, pixels]``."""
    return np.kron(np.eye(pixels, dtype=np.float32), SHARES[:, None] / np.float32(1 << 15))


def _of_numbers(values: Array) -> Array:
    red, green, blue = (values[..., place] for place in range(3))
    found = red * _REAL[0] + green * _REAL[1] + blue * _REAL[2]
    lowest, greatest = np.minimum(np.minimum(red, green), blue), np.maximum(np.maximum(red, green), blue)
    return np.minimum(np.maximum(found, lowest), greatest)  # no rounding makes it brighter than its brightest part
