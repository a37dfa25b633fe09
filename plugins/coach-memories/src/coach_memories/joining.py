"""Several steps of an episode as one transition: what is stored of a step grows as others follow it."""

from __future__ import annotations

import numpy as np

from coach_memories.episodes import Episodes
from coachcore.api import Array


class Joining:
    """Joins `n` steps as the accumulator does: equation 7.1 of Sutton & Barto 2018.

    The reward, the discount and what was observed after are those of all steps joined so far: fewer than n
    where the episode has ended, or has just come so far. So drawing is as cheap as without.
    """

    def __init__(self, episodes: Episodes, n: int, discount: float) -> None:
        self.n = n
        self.discount = discount
        self._episodes, self._ring = episodes, episodes.ring
        self._rewards, self._onward = self._ring.column("reward"), self._ring.column("discount")

    def grow(self, rows: Array) -> None:
        """Tell the steps before of those in `rows` ``[M]``, which were just added."""
        if self.n == 1:
            return
        before, reward, order = self._episodes.before(rows), self._rewards[rows], self._episodes.order
        grown = []
        for back in range(1, self.n):
            there = before >= back
            if not np.count_nonzero(there):
                break
            grown.append(order.later(rows[there], np.array(-back)))
            self._rewards[grown[-1]] += self.discount**back * reward[there]
        if grown:
            old = np.concatenate(grown)
            if len(rows) > self._episodes.count:  # several steps of one environment
                old = np.unique(old)
            joined = np.minimum(self._episodes.after(old), self.n - 1)
            last = order.later(old, joined)
            self._onward[old] = self.discount**joined * self._onward[last]
            self._ring.follow(old, last)
