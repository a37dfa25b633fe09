"""Bits to flip until they are as the goal says: the usual test of learning from goals that were missed."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from coach_toys.drawing import GREEN, RED, tiles
from coachcore.api import Array, Box, Discrete, Obs, Spaces, Step, component, param


@component("environment", "bit-flip", aliases=("BitFlip",))
@attrs.frozen(kw_only=True)
class BitFlip:
    """Each action flips one bit; an episode begins at bits and a goal drawn apart from each other.

    Observations: ``observation`` and ``achieved_goal``, the bits as they are, and
    ``desired_goal``, each ``[bit_length]``. The reward is -1, and 0 once all bits are as
    the goal has them, which terminates the episode. Chance finds a goal of 16 bits about
    never, so plain Q-learning fails from 13 bits or so on; learning from the goals that
    were reached instead does not.

    Andrychowicz et al., Hindsight experience replay, 2017, arXiv:1707.01495, section 3.1.
    The old environment reported running out of steps as the end of the task; here that is truncation.
    """

    bit_length: int = param(default=16, ge=1, doc="bits, and so actions")
    max_steps: int | None = param(
        default=None, ge=0, doc="steps after which an episode is truncated; 0: never; left out: bit_length"
    )
    mean_zero: bool = param(default=False, doc="show bits as -1 and 1 instead of 0 and 1")

    def make(self, count: int, *, render: bool = False) -> BitFlips:
        return BitFlips(self, count, render=render)

    @property
    def limit(self) -> int:
        """Steps after which an episode is truncated; 0: never."""
        return self.bit_length if self.max_steps is None else self.max_steps


class BitFlips:
    """N rows of bits, each with its goal."""

    def __init__(self, part: BitFlip, count: int, *, render: bool) -> None:
        bits = Box((part.bit_length,), -1.0 if part.mean_zero else 0.0, 1.0)
        names = ("observation", "achieved_goal", "desired_goal")
        self.spaces = Spaces(observation=dict.fromkeys(names, bits), action=Discrete(part.bit_length))
        self.count, self._part, self._render = count, part, render
        self._bits = np.zeros((count, part.bit_length), bool)  # [N, L]
        self._goal = np.ones((count, part.bit_length), bool)  # [N, L]
        self._steps = np.zeros(count, np.int64)  # [N] since the episode began

    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        for env, seed in zip(envs, seeds, strict=True):
            rng = np.random.Generator(np.random.PCG64(int(seed)))
            self._bits[env] = rng.random(self._part.bit_length) < 0.5
            self._goal[env] = self._bits[env]
            while np.array_equal(self._goal[env], self._bits[env]):
                self._goal[env] = rng.random(self._part.bit_length) < 0.5
            self._steps[env] = 0
        return {name: values[list(envs)] for name, values in self._seen().items()}

    def step(self, actions: Array) -> Step:
        self._bits[np.arange(self.count), actions] ^= True
        self._steps += 1
        reached = np.all(self._bits == self._goal, axis=1)
        limit = self._part.limit
        cut = ~reached & (self._steps >= limit) if limit else np.zeros(self.count, bool)
        return Step(self._seen(), reached - 1.0, reached, cut)

    def render(self) -> Array | None:
        """The bits above, the goal below: green for 1, red for 0."""
        if not self._render:
            return None
        return tiles([[GREEN if bit else RED for bit in row] for row in (self._bits[0], self._goal[0])])

    def close(self) -> None:
        """Nothing to let go of."""

    def _seen(self) -> dict[str, Array]:
        """Fresh observations, each ``[N, L]``."""
        shown = {"observation": self._bits, "achieved_goal": self._bits, "desired_goal": self._goal}
        return {name: self._as_shown(bits) for name, bits in shown.items()}

    def _as_shown(self, bits: Array) -> Array:
        values = bits.astype(np.float32)
        return 2 * values - 1 if self._part.mean_zero else values
