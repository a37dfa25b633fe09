"""A chain with a small reward nearby and a large one far away: exploring by chance alone is not enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from coach_toys.drawing import BLUE, GREEN, RED, WHITE, tiles
from coachcore.api import Array, BadSetting, Box, Discrete, Obs, Spaces, Step, component, param

_USUAL = 9
"""Steps of an episode beyond the length of the chain, as the paper has it."""


def _on_the_chain(part: Any, _field: Any, start: int) -> None:
    if start >= part.chain_length:
        raise BadSetting(
            f"{start} is no place of 0 to {part.chain_length - 1} - begin on the chain", where="start_state"
        )


@component("environment", "exploration-chain", aliases=("ExplorationChain",))
@attrs.frozen(kw_only=True)
class ExplorationChain:
    """Places 0 to `chain_length` - 1; action 0 goes left, action 1 right, at the ends nothing moves.

    Whoever is at the left end after a step gets `left_state_reward`, at the right end
    `right_state_reward`, elsewhere 0. Nothing ends the task: an episode is truncated after
    `max_steps`. The observation ``[chain_length]`` is 1 up to the place where one stands
    (``thermometer``) or 1 there alone (``one-hot``), and 0 elsewhere.

    Osband et al., Deep exploration via bootstrapped DQN, 2016, arXiv:1602.04621, section
    5.1, where an episode has chain_length + 9 steps.
    """

    chain_length: int = param(default=16, ge=4, doc="places of the chain")
    start_state: int = param(default=1, ge=0, check=_on_the_chain, doc="the place where episodes begin")
    max_steps: int | None = param(
        default=None, ge=1, doc="steps after which an episode is truncated; left out: chain_length + 9"
    )
    observation_type: str = param(
        default="thermometer", choices=("thermometer", "one-hot"), doc="how the place is shown"
    )
    left_state_reward: float = param(default=0.001, doc="reward at the left end")
    right_state_reward: float = param(default=1.0, doc="reward at the right end")

    def make(self, count: int, *, render: bool = False) -> Chains:
        return Chains(self, count, render=render)

    @property
    def limit(self) -> int:
        """Steps after which an episode is truncated."""
        return self.max_steps or self.chain_length + _USUAL


class Chains:
    """N chains, walked side by side."""

    def __init__(self, part: ExplorationChain, count: int, *, render: bool) -> None:
        length = part.chain_length
        self.spaces = Spaces(
            observation={"observation": Box((length,), 0.0, 1.0)}, action=Discrete(2, ("left", "right"))
        )
        self.count, self._part, self._render = count, part, render
        square = np.ones((length, length), np.float32)
        self._views = np.tril(square) if part.observation_type == "thermometer" else np.eye(length, dtype=np.float32)
        self._place = np.full(count, part.start_state)  # [N]
        self._steps = np.zeros(count, np.int64)  # [N] since the episode began

    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        chosen = list(envs)
        self._place[chosen] = self._part.start_state
        self._steps[chosen] = 0
        return {"observation": self._views[self._place[chosen]]}

    def step(self, actions: Array) -> Step:
        part, last = self._part, self._part.chain_length - 1
        self._place = np.clip(self._place + 2 * actions - 1, 0, last)
        self._steps = self._steps + 1
        rewards = np.where(self._place == 0, part.left_state_reward, 0.0)
        rewards = np.where(self._place == last, part.right_state_reward, rewards)
        obs = {"observation": self._views[self._place]}
        return Step(obs, rewards, np.zeros(self.count, bool), self._steps >= part.limit)

    def render(self) -> Array | None:
        """A row of tiles: where one stands is blue, the ends red and green."""
        if not self._render:
            return None
        length = self._part.chain_length
        colours = [RED, *[WHITE] * (length - 2), GREEN]
        colours[int(self._place[0])] = BLUE
        return tiles([colours])

    def close(self) -> None:
        """Nothing to let go of."""
