"""A right exploration policy for boxes, with a state."""

from __future__ import annotations

import attrs
import numpy as np

from coachcore.component import component, param
from coachcore.errors import Mismatch
from coachcore.spaces import Box


@component("exploration", "wander", actions="box")
@attrs.frozen(kw_only=True)
class Wander:
    """The agent's wish and a noise that forgets slowly, one of its own for each environment."""

    size: float = param(default=0.3, ge=0, doc="deviation of each push")
    memory: float = param(default=0.85, ge=0, lt=1, doc="share of the noise that is left after a step")

    def init(self, space, count):
        if not isinstance(space, Box):
            raise Mismatch(f"wander serves boxes, got {space}")
        return {"noise": np.zeros((count, *space.shape))}

    def __call__(self, state, propose, space, count, moment):
        wish = propose().preferences.reshape(count, *space.shape)
        if moment.evaluating:
            return state, np.clip(wish, space.low, space.high).astype(np.float32)
        push = self.size * moment.rng.standard_normal(wish.shape)
        noise = self.memory * state["noise"] + push
        return {"noise": noise}, np.clip(wish + noise, space.low, space.high).astype(np.float32)

    def level(self, state, step):
        return self.size
