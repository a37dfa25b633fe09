"""Make bytes of numbers."""

from __future__ import annotations

import attrs
import numpy as np

from coach_filters.observation.shapes import boxed
from coachcore.api import Array, BadSetting, Box, Mismatch, Rows, Space, State, component, param


@component("filter", "to-uint8", aliases=("ObservationToUInt8Filter",), acts_on="observation")
@attrs.frozen(kw_only=True)
class ToUInt8:
    """``(x - low) / (high - low) * 255``, rounded to the nearest byte and cut off at 0 and 255.

    The old filter cut digits off and let what lay outside wrap around.
    """

    low: float | None = param(default=None, doc="what becomes 0; left out: the lowest bound of the space")
    high: float | None = param(default=None, doc="what becomes 255; left out: the highest bound of the space")

    def __attrs_post_init__(self) -> None:
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise BadSetting(f"low must lie below high, got low {self.low} and high {self.high}", where="to-uint8")

    def space(self, before: Space) -> Box:
        low, high = self._ends(before)
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise Mismatch(f"to-uint8 needs a finite range, got {low} to {high} - give low and high", where="to-uint8")
        return Box(boxed("to-uint8", before).shape, 0, 255, "uint8")

    def init(self, before: Space, count: int) -> State:
        """Both ends of the range, ``[2]`` float32."""
        return np.array(self._ends(before), np.float32)

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        low, high = state
        scaled = (values.astype(np.float32) - low) * (np.float32(255) / (high - low))
        return state, np.rint(np.minimum(np.maximum(scaled, 0), 255)).astype(np.uint8)

    def _ends(self, before: Space) -> tuple[float, float]:
        box = boxed("to-uint8", before)
        low = float(box.low.min()) if self.low is None else self.low
        return low, float(box.high.max()) if self.high is None else self.high
