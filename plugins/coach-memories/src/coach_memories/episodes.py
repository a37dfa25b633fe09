"""Which episode each row of a ring is a step of, and what lies how many steps from it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from coach_memories.lanes import Even, Lanes, uneven
from coach_memories.ring import Ring
from coachcore.api import Array, BadCheckpoint, BadData, State

OPEN = -1


class Episodes:
    """For every row of `ring`, how many steps its episode has before and after it; 8 bytes a row.

    Add to the ring through it. Rows leave one by one: of an episode whose first steps are gone the others
    are still drawn. Environments that step in turn, as they do in a run, cost nothing more (`Even`);
    steps in any order, as they come from files or workers, are told apart too (`Lanes`). With `copies`,
    rows may be put in between that are copies of others and belong to no episode.
    """

    def __init__(self, ring: Ring, count: int, *, copies: bool = False) -> None:
        self.ring = ring
        self.count = count
        self._lanes = count + copies
        self.order: Even | Lanes = Lanes(ring, count + 1) if copies else Even(ring, count)
        self._left = np.full(ring.capacity, OPEN, np.int32)  # steps after this one; OPEN while they go on
        self._past = np.zeros(ring.capacity, np.int32)  # steps before this one, held or not
        self._length = np.zeros(count, np.int64)  # steps of each environment's open episode
        self._each = np.arange(count)

    def add(self, columns: Mapping[str, Array]) -> list[Array]:
        """Append M steps to the ring, `columns` with ``env`` and ``ended`` ``[M]``.

        Returns the rows of each episode that has ended, the last step first, as far as they are held. Raises
        `BadData`, and adds nothing, for environments that there are not.
        """
        envs, ended = columns["env"], columns["ended"]
        if isinstance(self.order, Even) and not self.order.takes(envs):
            self.order = uneven(self.order)
        if isinstance(self.order, Lanes) and (envs.min() < 0 or envs.max() >= self.count):
            wrong = envs.min() if envs.min() < 0 else envs.max()
            raise BadData(f"a step of environment {wrong}, where there are {self.count}", where="memory")
        self.ring.add(columns)
        self.order.add(envs)
        capacity = self.ring.capacity
        rows, envs, ended = self.ring.newest(len(envs)), envs[-capacity:], ended[-capacity:]
        self._left[rows] = OPEN
        if len(rows) == self.count and (isinstance(self.order, Even) or np.array_equal(envs, self._each)):
            self._past[rows] = self._length[envs]  # a row an environment
            self._length += 1
            return [self._close(rows[place], int(envs[place])) for place in np.flatnonzero(ended)]
        closed = []
        for env in np.flatnonzero(np.bincount(envs)).tolist():
            closed += self._several(rows[envs == env], ended[envs == env], env)
        return closed

    def _several(self, rows: Array, ended: Array, env: int) -> list[Array]:
        """Consecutive steps of one environment, with any number of ends among them."""
        closed, start = [], 0
        for stop in [*(np.flatnonzero(ended) + 1).tolist(), len(rows)]:
            self._past[rows[start:stop]] = self._length[env] + np.arange(stop - start)
            self._length[env] += stop - start
            if stop > start and ended[stop - 1]:
                closed.append(self._close(rows[stop - 1], env))
            start = stop
        return closed

    def _close(self, row: int, env: int) -> Array:
        """The rows of the episode whose last step lies in `row`, the last first."""
        held = min(int(self._length[env]) - 1, int(self.order.behind(np.array(row))))
        back = np.arange(held + 1)
        rows = self.order.later(np.array(row), -back)
        self._left[rows] = back
        self._length[env] = 0
        return rows

    def end(self, env: int) -> list[Array]:
        """The episode of `env` is over after what was last added to it; its rows as `add` returns them, if any."""
        if not self._length[env]:
            return []
        return [self._close(self.order.newest(env), env)]

    def again(self, rows: Array) -> Array:
        """Append copies of `rows` ``[M]`` to the ring, which belong to no episode; the rows where they lie."""
        to = self.ring.again(rows)
        self.order.add(np.full(len(to), self.count))
        self._left[to], self._past[to] = 0, 0
        return to

    def after(self, rows: Array) -> Array:
        """How many steps of its episode follow each of `rows`, as far as is known."""
        left = self._left.take(rows)
        unknown = left < 0
        return np.where(unknown, self.order.ahead(rows), left) if np.count_nonzero(unknown) else left

    def before(self, rows: Array) -> Array:
        """How many steps of its episode that are held come before each of `rows`."""
        return np.minimum(self._past.take(rows), self.order.behind(rows))

    def over(self, rows: Array) -> Array:
        """Whether the episode of each of `rows` has ended."""
        found: Array = self._left.take(rows) >= 0
        return found

    def ended(self) -> Array:
        """All rows of episodes that have ended."""
        return np.flatnonzero(self._left[: self.ring.filled] >= 0)

    def state(self) -> State:
        filled = self.ring.filled
        return {
            "even": isinstance(self.order, Even),
            "order": self.order.state(),
            "left": self._left[:filled].copy(),
            "past": self._past[:filled].copy(),
            "length": self._length.copy(),
            "copies": self._lanes > self.count,
        }

    def restore(self, state: State) -> None:
        """Hold what `state` holds, the ring having been restored; raises `BadCheckpoint` where it does not fit."""
        filled = self.ring.filled
        if not (len(state["left"]) == len(state["past"]) == filled and len(state["length"]) == self.count) or (
            bool(state["copies"]) is not (self._lanes > self.count)
        ):
            raise BadCheckpoint(
                "the saved episodes do not fit the saved steps - use another checkpoint", where="memory"
            )
        order = Even(self.ring, self.count) if state["even"] else Lanes(self.ring, self._lanes)
        order.restore(state["order"])
        self.order = order
        self._left[:], self._past[:] = OPEN, 0
        self._left[:filled], self._past[:filled] = state["left"], state["past"]
        self._length = np.array(state["length"])
