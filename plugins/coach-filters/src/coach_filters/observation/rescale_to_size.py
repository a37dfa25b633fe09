"""Make pictures smaller or larger."""

from __future__ import annotations

from functools import lru_cache

import attrs
import numpy as np

from coach_filters.observation.shapes import boxed
from coachcore.api import Array, BadSetting, Box, Mismatch, Rows, Space, State, component, param

_CHANNELS = 4
"""More than these along the last axis and no more along the first: the channels come first."""


@component("filter", "rescale-to-size", aliases=("ObservationRescaleToSizeFilter",), acts_on="observation")
@attrs.frozen(kw_only=True)
class RescaleToSize:
    """Each new pixel is the mean of the old ones under it, by area: ``[H, W(, C)] -> [h, w(, C)]``.

    Two small matrices do it, one along each side, so that no library of pictures
    is needed. Bytes stay bytes, rounded to the nearest. Every channel is treated
    alike (the old filter smoothed pictures and maps differently and cut digits off).
    """

    size: tuple[int, ...] = param(ge=1, doc="new height and width", unit="pixels")

    def __attrs_post_init__(self) -> None:
        if len(self.size) != 2:
            raise BadSetting(f"size is height and width, such as [84, 84], got {list(self.size)}", where="size")

    def space(self, before: Space) -> Box:
        box = boxed("rescale-to-size", before)
        shape = box.shape
        if len(shape) not in (2, 3):
            raise Mismatch(f"only pictures [H, W] or [H, W, C] can be rescaled, got {shape}", where="rescale-to-size")
        if len(shape) == 3 and shape[0] <= _CHANNELS < shape[2]:
            raise Mismatch(
                f"values of shape {shape} seem to have their channels first - put 'move-axis' before this filter",
                where="rescale-to-size",
            )
        return Box((*self.size, *shape[2:]), box.low.min(), box.high.max(), box.dtype)

    def init(self, before: Space, count: int) -> State:
        """The bounds of the space ``[2]`` float32, which rounding must not pass."""
        space = self.space(before)
        return np.array([space.low.min(), space.high.max()], np.float32)

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        low, high = state
        across, down = areas(values.shape[2], self.size[1]), areas(values.shape[1], self.size[0])
        count, height, width, *channels = values.shape
        smaller = down @ values.reshape(count, height, -1).astype(np.float32)  # [M, h, W * C]
        smaller = across @ smaller.reshape(count, -1, width, *channels) if channels else smaller @ across.T
        smaller = np.minimum(np.maximum(smaller, low), high)
        return state, np.rint(smaller).astype(np.uint8) if values.dtype == np.uint8 else smaller


@lru_cache(maxsize=64)
def areas(before: int, after: int) -> Array:
    """Shares ``[after, before]`` float32 of the old pixels in the new ones along one side; each row sums to 1."""
    edges = np.arange(after + 1) * (before / after)
    overlap = np.minimum(edges[1:, None], np.arange(1, before + 1)) - np.maximum(edges[:-1, None], np.arange(before))
    shares = np.maximum(overlap, 0.0)
    found: Array = (shares / shares.sum(axis=1, keepdims=True)).astype(np.float32)
    found.flags.writeable = False
    return found
