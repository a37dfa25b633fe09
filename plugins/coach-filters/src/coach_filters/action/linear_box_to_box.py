"""Let the agent act in other units than the environment."""

from __future__ import annotations

import attrs
import numpy as np

from coach_filters.bounds import bounded_box, fitting_box, pair, within
from coachcore.api import Array, BadSetting, Box, FloatOrVector, Rows, Space, State, component, param


@component("filter", "linear-box-to-box", aliases=("LinearBoxToBoxMap",), acts_on="action")
@attrs.frozen(kw_only=True)
class LinearBoxToBox:
    """The agent's box from `low` to `high` is stretched evenly over the environment's.

    ``env_low + (action - low) * (env_high - env_low) / (high - low)``
    """

    low: FloatOrVector = param(doc="lowest action of the agent, which becomes the environment's lowest")
    high: FloatOrVector = param(doc="highest action of the agent")
    _edges: tuple[Array, Array] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        low, high = pair(self.low, self.high)
        if not (np.isfinite(low).all() and np.isfinite(high).all() and (low < high).all()):
            raise BadSetting(f"low must lie below high and both be finite, got {self.low} and {self.high}", where="low")
        object.__setattr__(self, "_edges", (low, high))

    def space(self, before: Space) -> Box:
        box = bounded_box("linear-box-to-box", before)
        fitting_box("linear-box-to-box", self._edges[0], box)
        return attrs.evolve(box, low=self._edges[0], high=self._edges[1])

    def init(self, before: Space, count: int) -> State:
        """The environment's bounds, each ``[*shape]`` float64."""
        return {"low": before.low.copy(), "high": before.high.copy()}  # type: ignore[union-attr]  # `space` wants a box

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        low, high = self._edges
        share = (values - low).astype(np.float64) / (high - low)
        return state, within(state["low"] + share * (state["high"] - state["low"]), state["low"], state["high"])

    def inverse(self, state: State, values: Array) -> Array:
        """The agent's actions ``[N, *shape]`` that do `values` ``[N, *shape]``."""
        low, high = self._edges
        share = (values - state["low"]) / (state["high"] - state["low"])
        return np.minimum(np.maximum((low + share * (high - low)).astype(np.float32), low), high)
