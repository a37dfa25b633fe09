"""Which rows of a ring follow each other: one lane an environment, or a class, first in, first out."""

from __future__ import annotations

import numpy as np

from coach_memories.ring import Ring
from coachcore.api import Array, BadCheckpoint, BadSetting, Generator, State


class Even:
    """Lanes that have always been given one row each, in turn: where a row lies tells all, nothing is stored."""

    def __init__(self, ring: Ring, count: int) -> None:
        self.ring = ring
        self.count = count
        self._turn = 0  # lane of the next row
        self._all = np.arange(count)

    def takes(self, lanes: Array) -> bool:
        """Whether `lanes` ``[M]`` go on in turn."""
        if self.count == 1:
            return not np.count_nonzero(lanes)
        if len(lanes) == self.count and not self._turn:
            return np.array_equal(lanes, self._all)
        return np.array_equal(lanes, (self._turn + np.arange(len(lanes))) % self.count)

    def add(self, lanes: Array) -> None:
        """The rows just added to the ring belong to `lanes` ``[M]``, in turn."""
        self._turn = (self._turn + len(lanes)) % self.count

    def later(self, rows: Array, steps: Array) -> Array:
        """The rows that many places further in the lanes of `rows`; steps below 0 lead back."""
        found: Array = (rows + steps * self.count) % self.ring.capacity
        return found

    def ahead(self, rows: Array) -> Array:
        """How many newer rows there are in the lane of each of `rows`."""
        found: Array = self._age(rows) // self.count
        return found

    def behind(self, rows: Array) -> Array:
        """How many older rows there are in the lane of each of `rows`."""
        found: Array = (self.ring.filled - 1 - self._age(rows)) // self.count
        return found

    def starts(self, rng: Generator, shape: tuple[int, ...], length: int) -> Array:
        """Rows drawn fairly from all that `length` - 1 newer ones follow in their lane; raises `BadSetting`."""
        there = self.ring.filled - (length - 1) * self.count
        if there < 1:
            raise too_short(length)
        oldest = self.ring.next - self.ring.filled
        return (oldest + (rng.random(shape) * there).astype(np.int64)) % self.ring.capacity

    def newest(self, lane: int) -> int:
        """The row that was last added to `lane`."""
        return int((self.ring.next - 1 - (self._turn - 1 - lane) % self.count) % self.ring.capacity)

    def lanes(self) -> Array:
        """The lane of every row that is held, the oldest first."""
        filled = self.ring.filled
        found: Array = (self._turn - filled + np.arange(filled)) % self.count
        return found

    def _age(self, rows: Array) -> Array:
        return (self.ring.next - 1 - rows) % self.ring.capacity

    def state(self) -> State:
        return {"turn": self._turn}

    def restore(self, state: State) -> None:
        self._turn = int(state["turn"])


class Lanes:
    """Lanes that are given rows in any order; 12 bytes a row, and room for the longest lane in each."""

    def __init__(self, ring: Ring, count: int) -> None:
        self.ring = ring
        self.count = count
        self._lane = np.full(ring.capacity, -1, np.int32)  # of each row
        self._at = np.zeros(ring.capacity, np.int64)  # place of each row in its lane, counted from the first ever
        self.heads = np.zeros(count, np.int64)  # place of the oldest row that each lane still has
        self.tails = np.zeros(count, np.int64)  # place that the next row of each lane gets
        self._rows = np.zeros((count, 16), np.int64)  # place, modulo its width -> row

    def add(self, lanes: Array) -> None:
        """The rows just added to the ring belong to `lanes` ``[M]``; what these rows held has left its lanes."""
        lanes = lanes[-self.ring.capacity :]
        rows = self.ring.newest(len(lanes))
        gone = self._lane[rows]
        self.heads += np.bincount(gone[gone >= 0], minlength=self.count)
        self._lane[rows] = -1
        order = lanes.argsort(kind="stable")
        sorted_lanes = lanes[order]
        counts = np.bincount(lanes, minlength=self.count)
        firsts = counts.cumsum() - counts
        at = self.tails[sorted_lanes] + np.arange(len(lanes)) - firsts[sorted_lanes]
        self.tails += counts
        self._widen(int((self.tails - self.heads).max()))
        rows = rows[order]
        self._lane[rows], self._at[rows] = sorted_lanes, at
        self._rows[sorted_lanes, at % self._rows.shape[1]] = rows

    def _widen(self, wanted: int) -> None:
        """Room for `wanted` rows in every lane."""
        width = self._rows.shape[1]
        if wanted <= width:
            return
        wider = np.zeros((self.count, min(max(wanted, 2 * width), max(wanted, self.ring.capacity))), np.int64)
        held = np.flatnonzero(self._lane >= 0)
        wider[self._lane[held], self._at[held] % wider.shape[1]] = held
        self._rows = wider

    def later(self, rows: Array, steps: Array) -> Array:
        """The rows that many places further in the lanes of `rows`; steps below 0 lead back."""
        return self.rows(self._lane[rows], self._at[rows] + steps)

    def rows(self, lanes: Array, at: Array) -> Array:
        """The rows at the places `at` of `lanes`."""
        found: Array = self._rows[lanes, at % self._rows.shape[1]]
        return found

    def ahead(self, rows: Array) -> Array:
        """How many newer rows there are in the lane of each of `rows`."""
        found: Array = self.tails[self._lane[rows]] - 1 - self._at[rows]
        return found

    def behind(self, rows: Array) -> Array:
        """How many older rows there are in the lane of each of `rows`."""
        found: Array = self._at[rows] - self.heads[self._lane[rows]]
        return found

    def starts(self, rng: Generator, shape: tuple[int, ...], length: int) -> Array:
        """Rows drawn fairly from all that `length` - 1 newer ones follow in their lane; raises `BadSetting`."""
        there = np.maximum(self.tails - self.heads - length + 1, 0)
        ends = there.cumsum()
        if not ends[-1]:
            raise too_short(length)
        drawn = (rng.random(shape) * ends[-1]).astype(np.int64)
        lanes = ends.searchsorted(drawn, "right")
        return self.rows(lanes, self.heads[lanes] + drawn - (ends - there)[lanes])

    def newest(self, lane: int) -> int:
        """The row that was last added to `lane`."""
        return int(self.rows(np.array(lane), self.tails[lane] - 1))

    def lanes(self) -> Array:
        """The lane of every row that is held, the oldest first."""
        return self._lane[self.ring.newest(self.ring.filled)].astype(np.int64)

    def state(self) -> State:
        filled = self.ring.filled
        return {
            "lane": self._lane[:filled].copy(),
            "at": self._at[:filled].copy(),
            "heads": self.heads.copy(),
            "tails": self.tails.copy(),
        }

    def restore(self, state: State) -> None:
        """Hold what `state` holds; raises `BadCheckpoint` where lanes and rows do not fit together."""
        lane, at, heads, tails = (np.array(state[name], np.int64) for name in ("lane", "at", "heads", "tails"))
        held = np.bincount(np.maximum(lane, 0), minlength=self.count)
        sound = len(lane) == len(at) == self.ring.filled and len(heads) == len(tails) == self.count
        if not sound or len(held) > self.count or (lane < 0).any() or not np.array_equal(held, tails - heads):
            raise BadCheckpoint("the saved order of steps does not fit the saved steps - use another", where="memory")
        self._lane[:], self._at[:] = -1, 0
        self._lane[: len(lane)], self._at[: len(at)] = lane, at
        self.heads, self.tails = heads, tails
        self._rows = np.zeros((self.count, max(16, int(held.max(initial=0)))), np.int64)
        self._rows[lane, at % self._rows.shape[1]] = np.arange(len(lane))


def uneven(even: Even) -> Lanes:
    """The same lanes, which take rows in any order from now on."""
    lanes = Lanes(even.ring, even.count)
    lanes.add(even.lanes())
    return lanes


def too_short(length: int) -> BadSetting:
    """The error of drawing sequences where nothing that long was stored yet."""
    return BadSetting(
        f"no environment has {length} steps in the memory yet - heat up for longer, lower agent.learner.sequence "
        "or raise the capacity",
        where="memory",
    )
