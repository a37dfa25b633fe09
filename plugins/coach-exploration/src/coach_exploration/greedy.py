"""Do what the agent thinks best."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from coachcore.api import Array, Box, Discrete, Mismatch, Moment, Proposal, Space, State, component


@component("exploration", "greedy", aliases=("Greedy",))
@attrs.frozen(kw_only=True)
class Greedy:
    """The most preferred discrete action (of equals, the first); the mean action of a box, cut off at its bounds."""

    def init(self, space: Space, count: int) -> State:
        if not isinstance(space, Discrete | Box):
            raise Mismatch(f"greedy chooses discrete actions or points of a box, got {space}", where="greedy")
        return None

    def __call__(
        self, state: State, propose: Callable[[], Proposal], space: Space, count: int, moment: Moment
    ) -> tuple[State, Array]:
        preferences = propose().preferences
        if isinstance(space, Discrete):
            return state, preferences.argmax(axis=1)
        return state, into(space, preferences.reshape(count, *space.shape))

    def level(self, state: State, step: int) -> float:
        return 0.0


def into(space: Box, points: Array) -> Array:
    """The nearest float32 points of the box, ``[N, *shape] -> [N, *shape]``.

    A bound that float32 cannot hold (0.3) may be rounded past: such a point takes one step back.
    """
    near = np.clip(points, space.low, space.high).astype(np.float32)
    near = np.where(near > space.high, np.nextafter(near, np.float32(-np.inf)), near)
    return np.where(near < space.low, np.nextafter(near, np.float32(np.inf)), near)
