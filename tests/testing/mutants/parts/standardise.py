"""A right filter of observations with a state."""

from __future__ import annotations

import attrs
import numpy as np

from coachcore.component import component, param
from coachcore.errors import Mismatch
from coachcore.spaces import Box


@component("filter", "standardise", acts_on="observation")
@attrs.frozen(kw_only=True)
class Standardise:
    """Running mean 0 and deviation 1 in every component, cut off at `clip` deviations (Welford 1962)."""

    clip: float = param(default=5.0, gt=0, doc="furthest a value may lie from the mean", unit="deviations")

    def space(self, before):
        if not isinstance(before, Box):
            raise Mismatch(f"only a box has a mean, got {before}")
        return Box(before.shape, -self.clip, self.clip)

    def init(self, before, count):
        return {"count": 0, "mean": np.zeros(before.shape), "m2": np.zeros(before.shape)}

    def __call__(self, state, values, rows):
        if not (rows.evaluating and state["count"]):
            state = self.learned(state, values)
        deviation = np.sqrt(state["m2"] / max(state["count"] - 1, 1) + 1e-8)
        scaled = (values - state["mean"]) / deviation
        return state, np.clip(scaled, -self.clip, self.clip).astype(np.float32)

    def learned(self, state, values):
        count, mean, m2 = state["count"], state["mean"].copy(), state["m2"].copy()
        for value in values.astype(np.float64):
            count += 1
            gap = value - mean
            mean += gap / count
            m2 += gap * (value - mean)
        return {"count": count, "mean": mean, "m2": m2}
