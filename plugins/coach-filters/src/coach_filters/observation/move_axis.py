"""Put an axis of an observation elsewhere."""

from __future__ import annotations

import attrs
import numpy as np

from coach_filters.observation.shapes import axis_of, boxed, rearranged
from coachcore.api import Array, Box, Rows, Space, State, component, param


@component("filter", "move-axis", aliases=("ObservationMoveAxisFilter",), acts_on="observation")
@attrs.frozen(kw_only=True)
class MoveAxis:
    """The axis `origin` comes to stand at `target`: ``origin = 0, target = -1`` makes ``[C, H, W]`` ``[H, W, C]``.

    Axes are counted without that of the environments. The old filter put an axis
    at the wrong place where a target was below -1.
    """

    origin: int = param(doc="axis that moves, from 0; -1 is the last")
    target: int = param(doc="where it goes")

    def space(self, before: Space) -> Box:
        box = boxed("move-axis", before)
        for axis in (self.origin, self.target):
            axis_of("move-axis", axis, box)
        return rearranged(box, self._moved)

    def init(self, before: Space, count: int) -> State:
        return None

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        return None, self._moved(values)

    def _moved(self, values: Array) -> Array:
        origin, target = (axis + 1 if axis >= 0 else axis for axis in (self.origin, self.target))
        return np.moveaxis(values, origin, target)
