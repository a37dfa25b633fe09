"""A walk along a cliff."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from coachcore.api import Array, Box, Discrete, Generator, Obs, Spaces, Step, component, param

_MOVES = np.array([(-1, 0), (0, 1), (1, 0), (0, -1)])
_SKY, _ROCK, _SEA, _HERE = (225, 235, 245), (150, 120, 90), (40, 80, 160), (200, 60, 50)


@component("environment", "cliff")
@attrs.frozen(kw_only=True)
class Cliff:
    """From the lower left to the lower right, with a cliff between: -1 a step, -100 for falling, which ends it too.

    Actions go up, right, down and left; over the edge of the map nothing moves.
    With `wind`, a gust pushes one a square down now and then. The observation
    ``[rows * columns]`` is 1 at one's square. Sutton and Barto, 2nd edition,
    example 6.6, where falling leads back to the start instead.
    """

    rows: int = param(default=4, ge=2, doc="squares from the edge up")
    columns: int = param(default=12, ge=3, doc="squares from start to goal")
    wind: float = param(default=0.0, ge=0, le=1, doc="share of steps at which a gust pushes one down")
    limit: int = param(default=200, ge=1, doc="steps after which an episode is truncated", unit="steps")

    def make(self, count: int, *, render: bool = False) -> Walks:
        return Walks(self, count, render=render)


class Walks:
    """N walks; all of an episode's wind follows from its seed."""

    def __init__(self, part: Cliff, count: int, *, render: bool) -> None:
        self.spaces = Spaces(
            observation={"observation": Box((part.rows * part.columns,), 0.0, 1.0)},
            action=Discrete(4, ("up", "right", "down", "left")),
        )
        self.count, self._part, self._render = count, part, render
        self._last = np.array([part.rows - 1, part.columns - 1])
        self._at = np.tile([part.rows - 1, 0], (count, 1))  # [N, 2]: row from above, column
        self._steps = np.zeros(count, np.int64)
        self._wind: list[Generator] = [np.random.default_rng(0)] * count

    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        for env, seed in zip(envs, seeds, strict=True):
            self._at[env], self._steps[env] = (self._last[0], 0), 0
            self._wind[env] = np.random.default_rng(seed)
        return {"observation": self._seen()[list(envs)]}

    def step(self, actions: Array) -> Step:
        """One square each; a walk that is over stays where it is until it is reset."""
        walking = ~self._over()
        blown = np.array([wind.random() for wind in self._wind]) < self._part.wind
        moves = _MOVES[actions] + np.where(blown, 1, 0)[:, None] * _MOVES[2]
        self._at = np.where(walking[:, None], np.clip(self._at + moves, 0, self._last), self._at)
        self._steps += walking
        over = self._over()
        fell = over & (self._at[:, 1] < self._last[1])
        reward = np.where(walking, np.where(fell, -100.0, -1.0), 0.0)
        return Step({"observation": self._seen()}, reward, over, ~over & (self._steps >= self._part.limit))

    def render(self) -> Array | None:
        """The map seen from the side, 16 pixels a square."""
        if not self._render:
            return None
        picture = np.tile(np.array(_SKY, np.uint8), (self._part.rows, self._part.columns, 1))
        picture[-1], picture[-1, [0, -1]] = _SEA, _ROCK
        picture[tuple(self._at[0])] = _HERE
        return picture.repeat(16, axis=0).repeat(16, axis=1)

    def close(self) -> None:
        """Nothing to let go of."""

    def _over(self) -> Array:
        """Whether each stands on the lowest row, but not at the start ``[N]``."""
        return (self._at[:, 0] == self._last[0]) & (self._at[:, 1] > 0)

    def _seen(self) -> Array:
        squares = self._at[:, 0] * self._part.columns + self._at[:, 1]
        return np.eye(self._part.rows * self._part.columns, dtype=np.float32)[squares]
