"""Episodes lived through once more with other goals: what was reached is what was aimed at."""

from __future__ import annotations

from typing import Any

import numpy as np

from coach_memories.episodes import Episodes
from coach_memories.goals import Goals
from coach_memories.joining import Joining
from coach_memories.ring import Ring
from coachcore.api import Array, Mismatch, State, Streams, did_you_mean, param

CHOICES = ("future", "final", "episode", "random")


def hindsight_setting() -> Any:
    """The setting that says how many copies get another goal."""
    return param(default=4, ge=0, doc="copies of every step that are stored with another goal")


def choice_setting() -> Any:
    """The setting that says which goal they get."""
    return param(default="future", choices=CHOICES, doc="where the substituted goal was reached")


class Hindsight:
    """When an episode ends, adds copies of its steps to the memory, with other goals.

    Which goals these are is drawn from a stream of its own. Raises `Mismatch` where an observation that
    the settings name is not there, or actions are no goals though they are to be replaced (`acted`).
    """

    def __init__(self, part: Any, episodes: Episodes, joining: Joining, *, acted: bool = False) -> None:
        ring = episodes.ring
        self._part, self._episodes, self._joining, self._acted = part, episodes, joining, acted
        self._pays = Goals(
            reward=part.reward,
            distance=part.distance,
            threshold=part.threshold,
            reached_reward=part.reached_reward,
            missed_reward=part.missed_reward,
            max_reward=part.max_reward,
        )
        names = (f"obs.{part.goal}", f"next_obs.{part.goal}", f"obs.{part.achieved}", f"next_obs.{part.achieved}")
        settings = ("goal", "goal", "achieved", "achieved")
        self._goal, self._next_goal, self._before, self._after = (
            _column(ring, name, setting) for name, setting in zip(names, settings, strict=True)
        )
        self._reward, self._discount, self._action = (ring.column(name) for name in ("reward", "discount", "action"))
        self._alike(part.goal, self._goal)
        if acted:
            self._alike("action", self._action)
        self._streams = Streams(0)

    def _alike(self, name: str, column: Array) -> None:
        sizes = [each[0].size for each in (column, self._after)]
        if sizes[0] != sizes[1]:
            raise Mismatch(
                f"'{name}' has {sizes[0]} numbers, '{self._part.achieved}' has {sizes[1]} - "
                "what is achieved must be of the kind that is aimed at",
                where="memory",
            )

    def relive(self, closed: Array) -> None:
        """Add the copies of an episode, whose rows are `closed` ``[L]``, the last step first."""
        rows = closed[::-1]
        length, count = len(rows), self._part.hindsight
        achieved = np.concatenate([self._before[rows[1:]], self._after[rows[-1:]]]).reshape(length, -1)  # [L, G]
        goals = self._goals(achieved, count)  # [L, k, G]
        reward, discount = self._paid(achieved, goals, rows)
        source, goals = np.repeat(rows, count), goals.reshape(length * count, achieved.shape[1])
        actions = self._action[source].reshape(length * count, self._action[0].size)
        made = [source, goals, reward.ravel(), discount.ravel(), actions]
        if self._acted:  # the episode and its copies once more, what was done in the place of what was told
            told = self._goal[rows].reshape(length, -1)
            once = [rows, told, self._reward[rows], self._discount[rows], achieved]
            more = [*made[:-1], np.repeat(achieved, count, axis=0)]
            made = [np.concatenate(parts) for parts in zip(once, made, more, strict=True)]
        self._add(*made)

    def _add(self, rows: Array, goals: Array, reward: Array, discount: Array, actions: Array) -> None:
        """Copies of `rows` ``[M]`` with these values, each ``[M, ...]``; where there is no room, of the last ones."""
        to = self._episodes.again(rows)
        some = slice(len(rows) - len(to), None)
        self._goal[to] = self._next_goal[to] = goals[some].reshape(len(to), *self._goal.shape[1:])
        self._action[to] = actions[some].reshape(len(to), *self._action.shape[1:])
        self._reward[to], self._discount[to] = reward[some], discount[some]

    def _goals(self, achieved: Array, count: int) -> Array:
        """The goals ``[L, k, G]`` of the copies of an episode that achieved ``[L, G]``."""
        length, how, rng = len(achieved), self._part.goals, self._streams["hindsight"]
        if how == "random":
            rows = rng.integers(0, self._episodes.ring.filled, (length, count))
            return self._after[rows].reshape(length, count, -1)
        first = np.arange(length)[:, None] if how == "future" else 0
        chosen = rng.integers(length - 1 if how == "final" else first, length, (length, count))
        found: Array = achieved[chosen]
        return found

    def _paid(self, achieved: Array, goals: Array, rows: Array) -> tuple[Array, Array]:
        """Rewards and discounts ``[L, k]`` of steps joined, as long as they have not reached their goal."""
        length, n, gamma = len(achieved), self._joining.n, self._joining.discount
        total, going = np.zeros(goals.shape[:2]), np.ones(goals.shape[:2], bool)
        for later in range(min(n, length)):
            reward, reached = self._pays(achieved[later:, None], goals[: length - later])
            total[: length - later] += gamma**later * reward * going[: length - later]
            if self._part.ends:
                going[: length - later] &= ~reached
        left = length - np.arange(length)  # steps to the end of the episode, this one among them
        onward = gamma ** np.minimum(left, n)
        if self._lost(rows[-1], achieved[-1]):
            onward[left <= n] = 0.0
        return total, onward[:, None] * going

    def _lost(self, row: int, achieved: Array) -> bool:
        """Whether the task was over after the last step for another reason than that its own goal was reached."""
        if self._discount[row] != 0.0:
            return False
        reached = self._pays(achieved[None], self._goal[row].reshape(1, -1))[1]
        return not (self._part.ends and bool(reached[0]))

    def state(self) -> State:
        return self._streams.state()

    def restore(self, state: State) -> None:
        self._streams.restore(state)


def _column(ring: Ring, name: str, setting: str) -> Array:
    if name not in ring.layout.packed:
        seen = name.partition(".")[2]
        there = [each.partition(".")[2] for each in ring.layout.packed if each.startswith("next_obs.")]
        raise Mismatch(
            f"there is no observation '{seen}' of numbers, which goals are made of - {did_you_mean(seen, there)}",
            where=f"memory.{setting}",
        )
    return ring.column(name)
