"""From steps to transitions: the only place that knows gamma and episode ends."""

from __future__ import annotations

from collections.abc import Mapping
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
    """

    n: int = 1
    discount: float = 0.99

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
        }

    def __call__(
        self, state: State, before: Obs, actions: Array, rewards: Array, after: Step
    ) -> tuple[State, Columns | None]:
        """The step `before`, `actions` -> `after`, with filtered `rewards` ``[N]``: new state and M transitions."""
        if self.n == 1:
            return None, self._single(before, actions, rewards, after)
        return self._joined(state, before, actions, rewards, after)

    def _single(self, before: Obs, actions: Array, rewards: Array, after: Step) -> Columns:
        columns: dict[str, Array] = {f"obs.{name}": values for name, values in before.items()}
        columns["action"], columns["reward"] = actions, rewards
        columns["discount"] = self._onward(after.terminated)
        for name, values in after.obs.items():
            columns[f"next_obs.{name}"] = values
        return columns

    def _onward(self, terminated: Array) -> Array:
        """Gamma ``[N]``, or 0 where the task is over."""
        if len(terminated) == 1:  # a quarter of the price of asking NumPy, and asked at every step
            return np.array([0.0 if terminated[0] else self.discount])
        return np.where(terminated, 0.0, self.discount)

    def _joined(
        self, state: State, before: Obs, actions: Array, rewards: Array, after: Step
    ) -> tuple[State, Columns | None]:
        window = _pushed(state, before, actions, rewards, self.n)
        count, ended = window["count"], after.terminated | after.truncated
        opened = [(env, 0) for env in np.flatnonzero((count == self.n) & ~ended)]
        opened += [(env, age) for env in np.flatnonzero(ended) for age in range(count[env])]
        if not opened:
            return window, None
        columns = self._columns(window, opened, after)
        return {**window, "count": np.where(ended, 0, count)}, columns

    def _columns(self, window: Any, opened: list[tuple[Any, int]], after: Step) -> Columns:
        envs, ages = (np.array(part, dtype=np.int64) for part in zip(*opened, strict=True))
        count = window["count"]
        tail = np.zeros((self.n + 1, len(count)))  # tail[i]: discounted sum of rewards from age i on
        for age in range(self.n - 1, -1, -1):
            tail[age] = np.where(age < count, window["reward"][age] + self.discount * tail[age + 1], 0.0)
        joined = count[envs] - ages  # [M]
        columns = {f"obs.{name}": values[ages, envs] for name, values in window["obs"].items()}
        columns["action"], columns["reward"] = window["action"][ages, envs], tail[ages, envs]
        columns["discount"] = np.where(after.terminated[envs], 0.0, self.discount**joined)
        return columns | {f"next_obs.{name}": values[envs] for name, values in after.obs.items()}


def _pushed(state: Any, before: Obs, actions: Array, rewards: Array, n: int) -> dict[str, Any]:
    """The window with one more step: at the end, the oldest falling out where it is full."""
    count = state["count"]
    full = np.flatnonzero(count == n)
    slot, envs = np.minimum(count, n - 1), np.arange(len(count))

    def pushed(values: Array, newest: Array) -> Array:
        moved = values.copy()
        moved[:-1, full] = values[1:, full]
        moved[slot, envs] = newest
        return moved

    return {
        "obs": {name: pushed(values, before[name]) for name, values in state["obs"].items()},
        "action": pushed(state["action"], actions),
        "reward": pushed(state["reward"], rewards),
        "count": np.minimum(count + 1, n),
    }
