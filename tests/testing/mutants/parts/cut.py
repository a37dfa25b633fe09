"""A right filter of rewards without a state."""

from __future__ import annotations

import attrs
import numpy as np

from coachcore.component import component, param
from coachcore.errors import Mismatch
from coachcore.spaces import Box


@component("filter", "cut", acts_on="reward")
@attrs.frozen(kw_only=True)
class Cut:
    """Rewards, scaled, from -`limit` to `limit`."""

    scale: float = param(default=0.5, gt=0, doc="factor of every reward")
    limit: float = param(default=1.0, gt=0, doc="largest size of a reward after scaling")

    def space(self, before):
        if not isinstance(before, Box):
            raise Mismatch(f"rewards are a box, got {before}")
        return Box(before.shape, -self.limit, self.limit)

    def init(self, before, count):
        return None

    def __call__(self, state, values, rows):
        scaled = values * self.scale
        return state, np.clip(scaled, -self.limit, self.limit)
