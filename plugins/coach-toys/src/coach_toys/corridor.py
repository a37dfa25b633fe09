"""The smallest environment: walk to the right end of a corridor. Copy this file to begin one of your own."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from coach_toys.drawing import BLUE, GREEN, WHITE, tiles
from coachcore.api import Array, Box, Discrete, Obs, Spaces, Step, component, param


@component("environment", "corridor")
@attrs.frozen(kw_only=True)
class Corridor:
    """`length` places in a row: begin at the left end, reach the right one.

    The observation ``[length]`` is 1 at the place where one stands and 0 elsewhere, so a
    linear agent learns a table. Actions: 0 goes left, 1 goes right. The right end brings
    1 and terminates the episode, each step costs `cost`: the best return is
    1 - (length - 1) * cost. Nothing here is drawn at random.
    """

    length: int = param(default=8, ge=2, doc="places in a row; the last one is the goal")
    cost: float = param(default=0.01, ge=0, doc="what each step takes off the reward")
    limit: int = param(default=50, ge=1, doc="steps after which an episode is truncated", unit="steps")

    def make(self, count: int, *, render: bool = False) -> Corridors:
        return Corridors(self, count, render=render)


class Corridors:
    """N corridors, walked side by side."""

    def __init__(self, part: Corridor, count: int, *, render: bool) -> None:
        self.spaces = Spaces(
            observation={"observation": Box((part.length,), 0.0, 1.0)}, action=Discrete(2, ("left", "right"))
        )
        self.count, self._part, self._render = count, part, render
        self._place = np.zeros(count, np.int64)  # [N]
        self._steps = np.zeros(count, np.int64)  # [N] since the episode began

    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        chosen = list(envs)
        self._place[chosen] = 0
        self._steps[chosen] = 0
        return {"observation": self._seen()[chosen]}

    def step(self, actions: Array) -> Step:
        part = self._part
        self._place = np.clip(self._place + 2 * actions - 1, 0, part.length - 1)
        self._steps = self._steps + 1
        arrived = self._place == part.length - 1
        truncated = ~arrived & (self._steps >= part.limit)
        return Step({"observation": self._seen()}, arrived - part.cost, arrived, truncated)

    def render(self) -> Array | None:
        """A row of tiles: where one stands is blue, the goal green."""
        if not self._render:
            return None
        last, here = self._part.length - 1, int(self._place[0])
        return tiles([[BLUE if i == here else GREEN if i == last else WHITE for i in range(last + 1)]])

    def close(self) -> None:
        """Nothing to let go of."""

    def _seen(self) -> Array:
        """Fresh observations ``[N, length]``."""
        return np.eye(self._part.length, dtype=np.float32)[self._place]
