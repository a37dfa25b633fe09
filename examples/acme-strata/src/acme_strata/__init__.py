"""A memory whose minibatches are spread evenly over time."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np

from coachcore.api import (
    Array,
    BadCheckpoint,
    BadSetting,
    Generator,
    Layout,
    Mismatch,
    Sample,
    State,
    component,
    param,
)


@component("memory", "stratified-replay", orders=["any"], fresh=False, weighted=False)
@attrs.frozen(kw_only=True)
class StratifiedReplay:
    """The last `capacity` transitions; what is held is cut into B equal stretches of age, one draw from each.

    Each transition has the same chance as in uniform replay, but no minibatch is
    all old or all new: stratified sampling (Cochran, Sampling Techniques, 3rd
    edition, chapter 5) lowers the variance wherever losses change with age.
    """

    capacity: int = param(default=100_000, ge=1, doc="transitions kept; the oldest leave first", unit="transitions")

    def make(self, layout: Layout, count: int, sequence: int = 1) -> Strata:
        if sequence > 1:
            raise Mismatch(f"'stratified-replay' draws single transitions, not sequences of {sequence}", where="memory")
        return Strata(layout, self.capacity)


class Strata:
    """A ring of packed rows ``[capacity, W]``, with the columns that lie apart beside it."""

    def __init__(self, layout: Layout, capacity: int) -> None:
        self._layout, self._added = layout, 0
        self._packed = np.zeros((capacity, layout.width), np.float32)
        self._apart = {c.name: np.zeros((capacity, *c.shape), c.dtype) for c in layout.apart}

    def add(self, columns: Mapping[str, Array]) -> None:
        capacity, count = len(self._packed), len(columns[self._layout.columns[0].name])
        rows = np.arange(self._added, self._added + count)[-capacity:] % capacity
        for name, where in self._layout.packed.items():
            self._packed[rows, where] = columns[name][-capacity:].reshape(len(rows), -1)
        for name, kept in self._apart.items():
            kept[rows] = columns[name][-capacity:]
        self._added += count

    def sample(self, rng: Generator, calls: int, batch: int, step: int) -> Sample:
        held = len(self)
        if not held:
            raise BadSetting("nothing can be drawn from an empty memory - heat up for a step at least", where="memory")
        shares = (np.arange(batch) + rng.random((calls, batch))) / batch  # [K, B], ascending
        ages = np.minimum((shares * held).astype(np.int64), held - 1)  # 0: the oldest
        rows = (self._added - held + ages) % len(self._packed)
        return Sample(rows, self._packed[rows], None, {name: kept[rows] for name, kept in self._apart.items()})

    def learned(self, rows: Array, priority: Array) -> None:
        """Nothing depends on it."""

    def __len__(self) -> int:
        return min(self._added, len(self._packed))

    def state(self) -> State:
        held = len(self)
        apart = {name: kept[:held].copy() for name, kept in self._apart.items()}
        return {"added": self._added, "packed": self._packed[:held].copy(), "apart": apart}

    def restore(self, state: State) -> None:
        added, packed, apart = int(state["added"]), state["packed"], state["apart"]
        wanted = (min(added, len(self._packed)), self._layout.width)
        if packed.shape != wanted or apart.keys() != self._apart.keys():
            raise BadCheckpoint("other columns or another capacity were saved - keep them as they were", where="memory")
        self._added = added
        self._packed[: len(packed)] = packed
        for name, kept in self._apart.items():
            kept[: len(packed)] = apart[name]
