"""From steps to transitions: the only place that knows gamma and episode ends."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import attrs
import numpy as np

from coachcore.types import Array, Obs, State, Step

Columns = Mapping[str, Array]


@attrs.frozen
class NStep:
    """Discounted `n`-step transitions of N environments; shorter ones where an episode ends.

    A stored `reward` is the sum of gamma**k * r[t + k] over the k steps joined,
    `discount` is gamma**k, or 0 past a terminal step (a truncated episode
    bootstraps as usual), and `next_obs` follows the last step joined. Every step
    opens exactly one transition. Sutton & Barto 2018, equation 7.1.

    The window is a ring of n slots that is written to in place: go on from a state once
    only, and use the columns (which may be parts of it) before the next step.
    """

    n: int = 1
    discount: float = 0.99
    episodes: bool = False  # single steps only, with ``env`` and ``ended`` `[N]` besides

    def init(self, obs: Obs, actions: Array) -> State:
        """An empty window for observations ``[N, ...]`` and actions ``[N, ...]`` like these."""
        if self.n == 1:
            return None
        count = len(actions)
        return {
            "obs": {name: np.zeros((self.n, *values.shape), values.dtype) for name, values in obs.items()},
            "action": np.zeros((self.n, *actions.shape), actions.dtype),
            "reward": np.zeros((self.n, count)),
            "count": np.zeros(count, np.int64),
            "next": 0,
        }

    def __call__(
        self, state: State, before: Obs, actions: Array, rewards: Array, after: Step
    ) -> tuple[State, Columns | None]:
        """The step `before`, `actions` -> `after`, with filtered `rewards` ``[N]``: new state and M transitions."""
        if self.n == 1:
            return None, self._single(before, actions, rewards, after)
        return self._joined(state, before, actions, rewards, after)

    def _single(self, before: Obs, actions: Array, rewards: Array, after: Step) -> Columns | None:
        columns: dict[str, Array] = {f"obs.{name}": values for name, values in before.items()}
        columns["action"], columns["reward"] = actions, rewards
        columns["discount"] = self._onward(after.terminated)
        for name, values in after.obs.items():
            columns[f"next_obs.{name}"] = values
        if after.lost is not None and not self.episodes:
            return {name: values[~after.lost] for name, values in columns.items()} if not after.lost.all() else None
        if self.episodes:
            columns["env"], columns["ended"] = np.arange(len(rewards)), after.terminated | after.truncated
            if after.lost is not None:  # the memory must hear of the end
                columns["lost"] = after.lost
        return columns

    def _onward(self, terminated: Array) -> Array:
        """Gamma ``[N]``, or 0 where the task is over."""
        if len(terminated) == 1:  # a quarter of the price of asking NumPy, and asked at every step
            return np.array([0.0 if terminated[0] else self.discount])
        return np.where(terminated, 0.0, self.discount)

    def _joined(
        self, state: State, before: Obs, actions: Array, rewards: Array, after: Step
    ) -> tuple[State, Columns | None]:
        slot, n = state["next"], self.n
        for name, values in before.items():
            state["obs"][name][slot] = values
        state["action"][slot] = actions
        state["reward"][slot] = rewards if after.lost is None else np.where(after.lost, 0.0, rewards)
        count = np.minimum(state["count"] + 1, n)
        ended = after.terminated | after.truncated
        window = {**state, "count": count, "next": (slot + 1) % n}
        if np.count_nonzero(ended):
            opened = _opened(count, ended, n, after.lost)
            return {**window, "count": np.where(ended, 0, count)}, self._some(window, opened, after) if opened else None
        full = np.count_nonzero(count == n)
        if full == len(count):
            return window, self._every(window, after)
        return window, self._some(window, _opened(count, ended, n), after) if full else None

    def _every(self, window: Any, after: Step) -> Columns:
        """The oldest step of every environment, where none has ended: what nearly every step comes to."""
        oldest = window["next"]
        columns: dict[str, Array] = {f"obs.{name}": values[oldest] for name, values in window["obs"].items()}
        columns["action"], columns["reward"] = (
            window["action"][oldest],
            _shares(self.n, self.discount)[oldest] @ (window["reward"]),
        )
        columns["discount"] = np.full(len(columns["reward"]), self.discount**self.n)
        for name, values in after.obs.items():
            columns[f"next_obs.{name}"] = values
        return columns

    def _some(self, window: Any, opened: list[tuple[int, int]], after: Step) -> Columns:
        """Steps of some environments, each by its environment and by how long ago it was."""
        envs, back = (np.array(part, dtype=np.int64) for part in zip(*opened, strict=True))
        slots = (window["next"] - back) % self.n  # [M]
        rewards = np.zeros(len(envs))
        for later in range(self.n - 1, -1, -1):
            there = window["reward"][(slots + later) % self.n, envs]
            rewards = np.where(later < back, there + self.discount * rewards, rewards)
        columns = {f"obs.{name}": values[slots, envs] for name, values in window["obs"].items()}
        columns["action"], columns["reward"] = window["action"][slots, envs], rewards
        joined = back if after.lost is None else back - after.lost[envs]
        columns["discount"] = np.where(after.terminated[envs], 0.0, self.discount**joined)
        return columns | {f"next_obs.{name}": values[envs] for name, values in after.obs.items()}


def _opened(count: Array, ended: Array, n: int, lost: Array | None = None) -> list[tuple[int, int]]:
    """The steps that open a transition now: the oldest of full windows, all that are left where an episode ended."""
    going = [(env, n) for env in np.flatnonzero((count == n) & ~ended).tolist()]
    never = np.zeros(len(count), int) if lost is None else lost.astype(int)  # a step that was lost opens nothing
    return going + [(env, back) for env in np.flatnonzero(ended).tolist() for back in range(count[env], never[env], -1)]


@cache
def _shares(n: int, discount: float) -> Array:
    """``[n, n]``: what each slot's reward is worth to a transition that opens in the slot of the row."""
    slots = np.arange(n)
    return discount ** ((slots - slots[:, None]) % n).astype(float)
