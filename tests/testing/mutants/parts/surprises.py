"""A right memory that prefers what surprises."""

from __future__ import annotations

import attrs
import numpy as np

from coachcore.component import component, param
from coachcore.errors import BadCheckpoint, BadSetting, Mismatch
from coachcore.types import Sample


@component("memory", "surprises", orders=["any"], fresh=False, weighted=True)
@attrs.frozen(kw_only=True)
class Surprises:
    """Drawn in proportion to surprise, the new ones as likely as the most surprising (Schaul et al. 2016)."""

    capacity: int = param(default=50, ge=1, doc="transitions kept")
    beta: float = param(default=0.5, ge=0, le=1, doc="how far weights make up for the preference")

    def make(self, layout, count, sequence=1):
        if sequence > 1:
            raise Mismatch(f"single transitions only, not sequences of {sequence} steps")
        return Surprising(self, layout)


class Surprising:
    """One array a column; transition number i lies in row ``i % capacity``."""

    def __init__(self, part, layout):
        self.part, self.layout, self.size, self.added = part, layout, part.capacity, 0
        self.columns = {one.name: np.zeros((self.size, *one.shape), one.dtype) for one in layout.columns}
        self.priority = np.zeros(self.size)
        self.largest = 1.0

    def add(self, columns):
        count = len(columns["action"])
        rows = np.arange(self.added, self.added + count)[-self.size :] % self.size
        for name, kept in self.columns.items():
            kept[rows] = columns[name][-self.size :]
        self.priority[rows] = self.largest
        self.added += count

    def sample(self, rng, calls, batch, step):
        held = len(self)
        if not held:
            raise BadSetting("nothing can be drawn from an empty memory")
        chance = self.priority[:held] / self.priority[:held].sum()
        rows = rng.choice(held, (calls, batch), p=chance)
        weight = (chance.min() / chance[rows]) ** self.part.beta
        packed = [self.columns[name][rows].reshape(calls, batch, -1) for name in self.layout.packed]
        apart = {one.name: self.columns[one.name][rows] for one in self.layout.apart}
        return Sample(rows, np.concatenate(packed, axis=2), weight.astype(np.float32), apart)

    def learned(self, rows, priority):
        self.priority[rows.ravel()] = priority.ravel() + 1e-6
        self.largest = max(self.largest, float(priority.max()))

    def __len__(self):
        return min(self.added, self.size)

    def state(self):
        columns = {name: kept[: len(self)].copy() for name, kept in self.columns.items()}
        return {"added": self.added, "columns": columns, "priority": self.priority.copy(), "largest": self.largest}

    def restore(self, state):
        held = min(state["added"], self.size)
        shapes = {name: (held, *kept.shape[1:]) for name, kept in self.columns.items()}
        if {name: kept.shape for name, kept in state["columns"].items()} != shapes:
            raise BadCheckpoint("the saved transitions do not fit this memory")
        for name, kept in state["columns"].items():
            self.columns[name][:held] = kept
        self.added, self.largest = state["added"], state["largest"]
        self.priority[:] = state["priority"]
