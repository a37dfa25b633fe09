"""Cut observations or rewards off at a lowest and a highest value."""

from __future__ import annotations

import attrs
import numpy as np

from coach_filters.bounds import fitting_box, pair
from coachcore.api import Array, BadSetting, Box, FloatOrVector, Rows, Space, State, component, param


@component(
    "filter",
    "clipping",
    aliases=("ObservationClippingFilter", "RewardClippingFilter"),
    acts_on=["observation", "reward"],
)
@attrs.frozen(kw_only=True)
class Clipping:
    """``min(max(value, low), high)``, for observations and rewards alike.

    A bound of 0 is a bound, and the promised space is tightened (the old filters
    did neither). Bounds are rounded to float32, in byte images inwards to whole
    numbers, so that what comes out lies in the promised space exactly.
    """

    low: FloatOrVector | None = param(
        default=None, doc="lowest value let through, in units of what is clipped; left out: none"
    )
    high: FloatOrVector | None = param(default=None, doc="highest value let through; left out: none")
    _edges: tuple[Array, Array] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if self.low is None and self.high is None:
            raise BadSetting("there is nothing to clip at - give low, high or both", where="clipping")
        low, high = (-np.inf if self.low is None else self.low), (np.inf if self.high is None else self.high)
        object.__setattr__(self, "_edges", pair(low, high))

    def space(self, before: Space) -> Box:
        box = fitting_box("clipping", self._edges[0], before)
        low, high = self._in(box.dtype)
        return attrs.evolve(box, low=_cut(box.low, low, high), high=_cut(box.high, low, high))

    def init(self, before: Space, count: int) -> State:
        return None

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        low, high = self._in("uint8") if values.dtype == np.uint8 else self._edges
        return None, _cut(values, low, high)

    def _in(self, dtype: str) -> tuple[Array, Array]:
        """The edges in the numbers of `dtype`; bytes have only whole ones, from 0 to 255."""
        low, high = self._edges
        if dtype != "uint8":
            return low, high
        return np.ceil(low).clip(0, 255).astype(np.uint8), np.floor(high).clip(0, 255).astype(np.uint8)


def _cut(values: Array, low: Array, high: Array) -> Array:
    return np.minimum(np.maximum(values, low), high)  # a third of the time of np.clip on short arrays
