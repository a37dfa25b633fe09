"""A right filter of actions."""

from __future__ import annotations

import attrs
import numpy as np

from coachcore.component import component, param
from coachcore.errors import Mismatch
from coachcore.spaces import Box, Discrete


@component("filter", "points", acts_on="action")
@attrs.frozen(kw_only=True)
class Points:
    """The agent chooses one of `count` points on the way from the lowest to the highest action of a box."""

    count: int = param(default=5, ge=2, doc="points to choose from")

    def space(self, before):
        if not isinstance(before, Box):
            raise Mismatch(f"points lie in a box, got {before}")
        return Discrete(self.count)

    def init(self, before, count):
        return {"low": before.low.copy(), "high": before.high.copy()}

    def __call__(self, state, values, rows):
        share = values / (self.count - 1)
        share = share.reshape(-1, *(1,) * state["low"].ndim)
        return state, (state["low"] + share * (state["high"] - state["low"])).astype(np.float32)
