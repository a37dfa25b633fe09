"""A right filter of observations that remembers within an episode."""

from __future__ import annotations

import attrs
import numpy as np

from coachcore.component import component, param
from coachcore.errors import Mismatch
from coachcore.spaces import Box


@component("filter", "stack", acts_on="observation", episodic=True)
@attrs.frozen(kw_only=True)
class Stack:
    """The last `size` observations of each environment along the last axis, the newest last."""

    size: int = param(default=3, ge=1, doc="observations shown at once")

    def space(self, before):
        if not isinstance(before, Box) or not before.shape:
            raise Mismatch(f"vectors and pictures can be stacked, got {before}")
        low, high = (np.concatenate([bound] * self.size, axis=-1) for bound in (before.low, before.high))
        return Box(low.shape, low, high, before.dtype)

    def init(self, before, count):
        return np.zeros((count, *self.space(before).shape), before.dtype)

    def __call__(self, state, values, rows):
        if rows.first:
            seen = np.concatenate([values] * self.size, axis=-1)
        else:
            older = state[rows.envs][..., values.shape[-1] :]
            seen = np.concatenate([older, values], axis=-1)
        state = state.copy()
        state[rows.envs] = seen
        return state, seen
