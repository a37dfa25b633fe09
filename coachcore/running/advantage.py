"""From steps to rows that are used once: advantages and returns of whole rollouts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs
import numpy as np

from coachcore.running.accumulate import Columns
from coachcore.types import Array, Obs, State, Step

FIRST = 32
"""Steps there is room for at first; room doubles when it is used up and is kept from rollout to rollout."""
ENDS = ("reward", "terminated", "truncated")
"""What is noted of a step only to work out the advantages."""


@attrs.frozen
class Advantages:
    """Rollouts of T steps in N environments with generalised advantages and the returns they imply.

    ``delta_t = r_t + gamma V(s_t+1) - V(s_t)`` and ``A_t = delta_t + gamma lambda A_t+1``, where the
    sum stops at the end of an episode; ``return = A + V``. ``V(s_t+1)`` is 0 past a terminal step, the value
    of the final observation where an episode was truncated, and `last_value` after the last step of the rollout.
    Schulman et al. 2016, arXiv:1506.02438, equations 11 to 16.

    A state is a number of steps and arrays with room for more, which a step writes
    to beyond what is in use: what an earlier state says stays as it was until `close`,
    but go on from each state once only.
    """

    discount: float = 0.99
    gae_lambda: float = 0.95

    def init(self, obs: Obs, actions: Array) -> State:  # noqa: ARG002 - as every accumulator is asked
        """An empty rollout; the arrays are made at the first step, which shows what there is to keep."""
        return {"steps": 0, "columns": {}}

    def __call__(  # noqa: PLR0913, PLR0917 - a step, what was thought of it, and whom to ask about its end
        self,
        state: State,
        before: Obs,
        actions: Array,
        rewards: Array,
        after: Step,
        kept: Mapping[str, Array],
        value_after: Callable[[Obs], Array],
    ) -> State:
        """The state after one more step, of which everything is copied.

        `kept` holds what the agent thought when it acted, each ``[N, ...]``, ``value`` among it.
        `value_after` gives the values ``[N]`` of observations; it is asked at once, and only when
        an episode was truncated, for the final observation is gone a moment later.
        """
        steps, columns = state["steps"], state["columns"]
        if not columns or steps == len(columns["reward"]):
            ends = dict(zip(ENDS, (rewards, after.terminated, after.truncated), strict=True))
            step = {**_named(before, actions, kept), **ends}
            columns = {name: _roomier(columns.get(name), values) for name, values in step.items()}
        for name, values in before.items():
            columns[f"obs.{name}"][steps] = values
        for name, values in kept.items():
            columns[name][steps] = values
        if np.count_nonzero(after.truncated):  # last: asking may write over what was kept, a network's own buffers
            rewards = self._onward(rewards, after, value_after)
        columns["action"][steps], columns["reward"][steps] = actions, rewards
        columns["terminated"][steps], columns["truncated"][steps] = after.terminated, after.truncated
        return {"steps": steps + 1, "columns": columns}

    def _onward(self, rewards: Array, after: Step, value_after: Callable[[Obs], Array]) -> Array:
        """Rewards ``[N]`` to which what was still to come is added where an episode was cut short."""
        cut = after.truncated & ~after.terminated
        if not cut.any():
            return rewards
        return np.where(cut, rewards + self.discount * value_after(after.obs), rewards)

    def close(self, state: State, last_value: Array) -> tuple[State, Columns]:
        """An empty state, and T * N rows: all steps of the first environment, then of the next.

        `last_value` ``[N]`` is the value of the observations after the last step (where an episode
        has just ended it does not matter). Columns are ``obs.<name>``, ``action``, those kept,
        ``advantage`` and ``return``, each ``[N * T, ...]`` in an array of its own.
        """
        seen = {name: column[: state["steps"]] for name, column in state["columns"].items()}  # each [T, N, ...]
        values = seen["value"].astype(np.float64)
        advantages = self.advantages(
            seen["reward"], values, np.asarray(last_value), seen["terminated"] | seen["truncated"]
        )
        rows = {name: column for name, column in seen.items() if name not in ENDS}
        rows |= {"advantage": advantages, "return": advantages + values}
        return {**state, "steps": 0}, {name: _by_environment(column) for name, column in rows.items()}

    def advantages(self, rewards: Array, values: Array, last_value: Array, ended: Array) -> Array:
        """Advantages ``[T, N]`` float64 of `rewards`, `values` and `ended` ``[T, N]``, nothing following an end."""
        following = np.concatenate([values[1:], last_value[None]])  # [T, N]
        found: Array = rewards + self.discount * np.where(ended, 0.0, following) - values
        fade = np.where(ended, 0.0, self.discount * self.gae_lambda)
        for step in range(len(found) - 2, -1, -1):
            found[step] += fade[step] * found[step + 1]
        return found


def _named(before: Obs, actions: Array, kept: Mapping[str, Array]) -> dict[str, Any]:
    return {**{f"obs.{name}": values for name, values in before.items()}, "action": actions, **kept}


def _roomier(column: Array | None, values: Array) -> Array:
    """Room for twice as many steps as `column` ``[T, N, ...]`` has, beginning with those of `column`."""
    if column is None:
        return np.zeros((FIRST, *values.shape), values.dtype)
    return np.concatenate([column, np.zeros_like(column)])


def _by_environment(column: Array) -> Array:
    """``[T, N, ...]`` to ``[N * T, ...]``, never a view: the arrays of a state are written to again."""
    return column.swapaxes(0, 1).copy().reshape(-1, *column.shape[2:])
