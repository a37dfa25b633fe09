"""From colours to brightness."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from coach_filters.observation.shapes import boxed
from coachcore.api import Array, Box, Mismatch, Rows, Space, State, component

_SHARES = (0.299, 0.587, 0.114)
_OF_256 = (77, 150, 29)


@component("filter", "rgb-to-y", aliases=("ObservationRGBToYFilter",), acts_on="observation")
@attrs.frozen(kw_only=True)
class RGBToY:
    """Brightness ``0.299 R + 0.587 G + 0.114 B``: ``[H, W, 3] -> [H, W]`` (ITU-R BT.601).

    Bytes stay bytes: there the shares are 77, 150 and 29 of 256, rounded to the
    nearest. The old filter's shares summed to 0.9999 and it made bytes float64.
    """

    def space(self, before: Space) -> Box:
        box = boxed("rgb-to-y", before)
        if len(box.shape) != 3 or box.shape[-1] != 3:
            raise Mismatch(f"rgb-to-y needs pictures [H, W, 3], got values of shape {box.shape}", where="rgb-to-y")
        return Box(box.shape[:2], box.low.min(axis=-1), box.high.max(axis=-1), box.dtype)

    def init(self, before: Space, count: int) -> State:
        return None

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        return None, _brightness(values)


def _brightness(values: Array) -> Array:
    red, green, blue = (values[..., place] for place in range(3))
    if values.dtype == np.uint8:
        wide = np.uint16
        whole: Any = red * wide(_OF_256[0]) + green * wide(_OF_256[1]) + blue * wide(_OF_256[2])
        found: Array = ((whole + wide(128)) >> wide(8)).astype(np.uint8)
        return found
    shares = [values.dtype.type(share) for share in _SHARES]
    found = red * shares[0] + green * shares[1] + blue * shares[2]
    lowest, greatest = np.minimum(np.minimum(red, green), blue), np.maximum(np.maximum(red, green), blue)
    return np.minimum(np.maximum(found, lowest), greatest)  # no rounding makes it brighter than its brightest part
