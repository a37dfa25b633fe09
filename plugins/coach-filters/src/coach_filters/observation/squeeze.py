"""Drop axes of length 1."""

from __future__ import annotations

import attrs

from coach_filters.observation.shapes import axis_of, boxed, rearranged
from coachcore.api import Array, Box, Mismatch, Rows, Space, State, component, param


@component("filter", "squeeze", aliases=("ObservationSqueezeFilter",), acts_on="observation")
@attrs.frozen(kw_only=True)
class Squeeze:
    """``[H, W, 1, C] -> [H, W, C]``: without `axis`, or without every axis of length 1; the first one is never dropped.

    That first one is the environments', which no filter sees.
    """

    axis: int | None = param(
        default=None, doc="axis that goes, from 0; -1 is the last; left out: every one of length 1"
    )

    def space(self, before: Space) -> Box:
        box = boxed("squeeze", before)
        if self.axis is not None and (length := box.shape[axis_of("squeeze", self.axis, box)]) != 1:
            raise Mismatch(f"axis {self.axis} has length {length}; only one of length 1 can go", where="squeeze")
        return rearranged(box, self._squeezed)

    def init(self, before: Space, count: int) -> State:
        return None

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        return None, self._squeezed(values)

    def _squeezed(self, values: Array) -> Array:
        count, *shape = values.shape
        if self.axis is None:
            return values.reshape(count, *(length for length in shape if length != 1))
        del shape[self.axis]
        return values.reshape(count, *shape)
