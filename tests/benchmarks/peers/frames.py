"""An environment of random pictures: nothing to learn, only something to chew on."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from peers.cases import PICTURE_ACTIONS

LENGTH = 200  # steps of an episode


class RandomFrames(gymnasium.Env):
    """Bytes ``[84, 84, 4]``: the newest of four frames comes last and the others move up, as when playing Atari."""

    observation_space = gymnasium.spaces.Box(0, 255, (84, 84, 4), np.uint8)
    action_space = gymnasium.spaces.Discrete(PICTURE_ACTIONS)
    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(self) -> None:
        self.stack = np.zeros((84, 84, 4), np.uint8)
        self.age = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed, options=options)
        self.stack = np.repeat(self._frame(), 4, axis=-1)
        self.age = 0
        return self.stack, {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.stack = np.concatenate([self.stack[..., 1:], self._frame()], axis=-1)
        self.age += 1
        return self.stack, float(action == 0), False, self.age >= LENGTH, {}

    def _frame(self) -> np.ndarray:
        """Bytes ``[84, 84, 1]`` that were never seen before, so that a memory cannot find them twice."""
        return self.np_random.integers(0, 256, (84, 84, 1), np.uint8)
