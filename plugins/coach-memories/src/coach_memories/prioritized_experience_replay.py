"""Replay surprising transitions more often."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np

from coach_memories.capacity import capacity_setting
from coach_memories.experience_replay import too_few
from coach_memories.filling import fill, load_setting
from coach_memories.ring import Ring, only_single
from coach_memories.room import disk_setting
from coach_memories.sum_tree import SumTree
from coachcore.api import (
    Array,
    BadCheckpoint,
    BadData,
    Generator,
    Layout,
    Sample,
    Schedule,
    State,
    component,
    param,
)

LEAF = 16
"""Bytes of the tree of sums for each transition."""


@component(
    "memory",
    "prioritized-experience-replay",
    aliases=("PrioritizedExperienceReplay", "PrioritizedExperienceReplayParameters"),
    orders=["any"],
    fresh=False,
    weighted=True,
)
@attrs.frozen(kw_only=True)
class PrioritizedExperienceReplay:
    """The last `capacity` transitions, drawn in proportion to how surprising they were.

    ``P(i) = p_i^alpha / sum_k p_k^alpha`` with ``p_i = |surprise| + epsilon``; a new
    transition gets the largest p seen so far. A minibatch is stratified: one draw
    in each of B equal parts of the sum. Weights ``(N P(i))^-beta`` are divided by
    the largest of their minibatch. The paper says ``max_i w_i`` without naming the
    set; the old memory took all stored transitions, where a single tiny priority
    that is hardly ever drawn shrinks every update.
    K minibatches drawn at once see the same priorities.

    Schaul et al. 2016, arXiv:1511.05952, eq. 1, section 3.4 and appendix B.2.1.
    """

    capacity: int | str = capacity_setting()
    alpha: float = param(default=0.6, ge=0, le=1, doc="how much priorities count; 0 draws uniformly")
    beta: Schedule = param(
        default=0.4, type="schedule", ge=0, le=1, doc="how much of the bias is corrected; 1 is all of it"
    )
    epsilon: float = param(default=1e-6, gt=0, doc="added to every priority, so that none is never drawn")
    disk: str = disk_setting()
    load: str = load_setting()

    def make(self, layout: Layout, count: int, sequence: int = 1) -> PrioritizedStore:
        only_single(sequence, "prioritized-experience-replay")
        return PrioritizedStore(self, Ring.of(self, layout, count, LEAF))


class PrioritizedStore:
    """A ring of transitions and a sum tree over their priorities to the power alpha."""

    def __init__(self, part: PrioritizedExperienceReplay, ring: Ring) -> None:
        self.part = part
        self.ring = ring
        self.tree = SumTree(ring.capacity)
        self.largest = 1.0  # p, epsilon included, of a transition not learned from yet
        self._fresh = 0  # newest rows whose sums are not made yet

    def add(self, columns: Mapping[str, Array]) -> None:
        """Append M transitions; their sums wait until the next draw, which makes them all at once."""
        start = self.ring.next
        count = self.ring.add(columns)
        leaf = self.largest**self.part.alpha
        if start + count <= self.ring.capacity:
            self.tree.leaves[start : start + count] = leaf
        else:
            self.tree.leaves[self.ring.newest(count)] = leaf
        self._fresh += count

    def sample(self, rng: Generator, calls: int, batch: int, step: int) -> Sample:
        """`calls` minibatches in arrays of their own, each row with its importance weight in (0, 1]."""
        filled = self.ring.filled
        if filled == 0:
            raise too_few(filled, batch)
        if self._fresh:
            self.tree.lift(self.ring.newest(self._fresh))
            self._fresh = 0
        shares = (np.arange(batch) + rng.random((calls, batch))) * (1.0 / batch)
        rows = np.minimum(self.tree.find(shares.reshape(-1)), filled - 1).reshape(calls, batch)
        chances = self.tree.leaves[rows]
        # N and the total cancel: the largest weight belongs to the smallest chance.
        weight = (chances.min(axis=1, keepdims=True) / chances) ** self.part.beta(step)
        return Sample(rows, self.ring.packed(rows), weight.astype(np.float32), self.ring.apart(rows))

    def learned(self, rows: Array, priority: Array) -> None:
        """New priorities for `rows`, both ``[K, B]``; of a row learned from twice the last one stays.

        Raises `BadData` for a priority that is negative, infinite or NaN.
        """
        surprise = priority.reshape(-1).astype(np.float64) + self.part.epsilon
        highest = float(surprise.max())
        if not (surprise.min() >= self.part.epsilon and highest < np.inf):
            raise BadData(
                "a priority is negative, infinite or not a number - lower agent.learner.learning_rate",
                where="memory",
            )
        self.largest = max(self.largest, highest)
        self.tree.set(rows.reshape(-1), surprise**self.part.alpha)

    def fill(self, discount: float) -> None:
        fill(self, self.part.load, self.ring.layout, discount)

    def state(self) -> State:
        filled = self.ring.filled
        return {"ring": self.ring.state(), "leaves": self.tree.leaves[:filled].copy(), "largest": self.largest}

    def restore(self, state: State) -> None:
        self.ring.restore(state["ring"])
        if len(state["leaves"]) != self.ring.filled:
            raise BadCheckpoint(
                f"{len(state['leaves'])} priorities were saved for {self.ring.filled} transitions - "
                "use another checkpoint",
                where="memory",
            )
        self.tree.leaves[:] = 0.0
        self.tree.leaves[: self.ring.filled] = state["leaves"]
        self.tree.lift_all()
        self.largest = float(state["largest"])
        self._fresh = 0

    def __len__(self) -> int:
        return self.ring.filled
