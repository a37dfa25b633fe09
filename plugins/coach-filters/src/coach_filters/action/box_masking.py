"""Keep only a part of a continuous action space."""

from __future__ import annotations

import attrs
import numpy as np

from coach_filters.bounds import fitting_box, pair
from coachcore.api import Array, BadSetting, Box, FloatOrVector, Mismatch, Rows, Space, State, component, param

_WHERE = "box-masking"


def _finite(_part: object, field: attrs.Attribute[FloatOrVector], value: FloatOrVector) -> None:
    if not np.all(np.isfinite(value)):
        raise BadSetting(f"a mask has finite edges, got {value}", where=field.name)


@component("filter", "box-masking", aliases=("BoxMasking",), acts_on="action")
@attrs.frozen(kw_only=True)
class BoxMasking:
    """Keep only a sub-box of a continuous action space, shifted to start at 0.

    The agent sees ``Box(0, high - low)`` and its action plus `low` is done, cut
    off at `high`. The edges are rounded inwards to float32, so that what is done
    never leaves the mask. They are the state, of every environment its own:
    another agent may move them while the run goes on (`masked`).
    """

    low: FloatOrVector = param(doc="lower edge of what remains, in units of the environment's action", check=_finite)
    high: FloatOrVector = param(doc="upper edge of what remains", check=_finite)
    _edges: tuple[Array, Array] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_edges", _inwards(self.low, self.high))

    def space(self, before: Space) -> Box:
        low, high = self._edges
        box = fitting_box(_WHERE, low, before)
        _inside(self.low, self.high, box)
        return attrs.evolve(box, low=0.0, high=(high - low).astype(np.float64))

    def init(self, before: Space, count: int) -> State:
        """The edges of every environment, each ``[N, *shape]`` float32."""
        return {
            side: np.repeat(np.broadcast_to(edge, before.shape)[None], count, axis=0) for side, edge in self._by_side()
        }

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        low, high = state["low"][rows.envs], state["high"][rows.envs]
        return state, np.minimum(np.maximum(values + low, low), high)

    def inverse(self, state: State, values: Array) -> Array:
        """The agent's actions that come nearest to `values`, both ``[N, *shape]`` of all environments."""
        return np.minimum(np.maximum(values, state["low"]), state["high"]) - state["low"]

    def masked(self, state: State, before: Space, low: FloatOrVector, high: FloatOrVector, envs: Array) -> State:
        """The state with the mask from `low` to `high` in `envs` ``[M]``; raises `Mismatch` outside of `before`.

        The agent's space stays what it was: where the new mask is narrower, its actions are cut off at `high`.
        """
        edges = dict(zip(("low", "high"), _inwards(low, high), strict=True))
        fitting_box(_WHERE, edges["low"], before)
        _inside(low, high, before)
        moved = {side: values.copy() for side, values in state.items()}
        for side, edge in edges.items():
            moved[side][envs] = edge
        return moved

    def _by_side(self) -> list[tuple[str, Array]]:
        return list(zip(("low", "high"), self._edges, strict=True))


def _inside(low: FloatOrVector, high: FloatOrVector, box: Box) -> None:
    inner = _inwards(low, high)
    if np.any(inner[0] < box.low) or np.any(inner[1] > box.high):
        raise Mismatch(
            f"the mask {low} to {high} must lie within the action space, {box.low.min():g} to {box.high.max():g}",
            where=_WHERE,
        )


def _inwards(low: FloatOrVector, high: FloatOrVector) -> tuple[Array, Array]:
    """Both edges as float32, rounded towards each other; raises `BadSetting` unless low <= high."""
    pair(low, high)
    lower, upper = np.broadcast_arrays(_up(low), -_up(-np.asarray(high, np.float64)))
    return lower, upper


def _up(value: FloatOrVector | Array) -> Array:
    """The smallest float32 that is not below `value`."""
    near = np.asarray(value, np.float32)
    return np.where(near < np.asarray(value, np.float64), np.nextafter(near, np.float32(np.inf)), near)
