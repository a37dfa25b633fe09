"""Keep only a part of a continuous action space."""

from __future__ import annotations

import attrs
import numpy as np

from coach_filters.bounds import fitting_box, pair
from coachcore.api import Array, BadSetting, Box, FloatOrVector, Mismatch, Rows, Space, State, component, param


def _finite(_part: object, field: attrs.Attribute[FloatOrVector], value: FloatOrVector) -> None:
    if not np.all(np.isfinite(value)):
        raise BadSetting(f"a mask has finite edges, got {value}", where=field.name)


@component("filter", "box-masking", aliases=("BoxMasking",), acts_on="action")
@attrs.frozen(kw_only=True)
class BoxMasking:
    """Keep only a sub-box of a continuous action space, shifted to start at 0.

    The agent sees ``Box(0, high - low)`` and its action plus `low` is done. The
    edges are rounded inwards to float32, so that what is done never leaves the mask.
    """

    low: FloatOrVector = param(doc="lower edge of what remains, in units of the environment's action", check=_finite)
    high: FloatOrVector = param(doc="upper edge of what remains", check=_finite)
    _edges: tuple[Array, Array] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        pair(self.low, self.high)
        low, high = np.broadcast_arrays(_up(self.low), -_up(-np.asarray(self.high, np.float64)))
        object.__setattr__(self, "_edges", (low, high))

    def space(self, before: Space) -> Box:
        low, high = self._edges
        box = fitting_box("box-masking", low, before)
        if np.any(low < box.low) or np.any(high > box.high):
            raise Mismatch(
                f"the mask {self.low} to {self.high} must lie within the action space, "
                f"{box.low.min():g} to {box.high.max():g}",
                where="box-masking",
            )
        return attrs.evolve(box, low=0.0, high=(high - low).astype(np.float64))

    def init(self, before: Space, count: int) -> State:
        return None

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        low, high = self._edges
        return None, np.minimum(np.maximum(values + low, low), high)


def _up(value: FloatOrVector | Array) -> Array:
    """The smallest float32 that is not below `value`."""
    near = np.asarray(value, np.float32)
    return np.where(near < np.asarray(value, np.float64), np.nextafter(near, np.float32(np.inf)), near)
