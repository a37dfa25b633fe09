"""A right memory whose rows are used once."""

from __future__ import annotations

import attrs
import numpy as np

from coachcore.component import component
from coachcore.errors import BadCheckpoint, BadSetting
from coachcore.types import Sample


@component("memory", "once", orders=["any", "sequence"], fresh=True, weighted=False)
@attrs.frozen(kw_only=True)
class Once:
    """Whole epochs over all rows, shuffled anew each; then nothing is left."""

    def make(self, layout, count, sequence=1):
        return Rollout(layout, count, sequence)


class Rollout:
    """Rows in the order in which they were added, environment after environment."""

    def __init__(self, layout, count, sequence):
        self.layout, self.count, self.sequence = layout, count, sequence
        self.columns = self.empty()

    def empty(self):
        return {one.name: np.zeros((0, *one.shape), one.dtype) for one in self.layout.columns}

    def add(self, columns):
        self.columns = {name: np.concatenate([kept, columns[name]]) for name, kept in self.columns.items()}

    def sample(self, rng, calls, batch, step):
        held, length = len(self), self.sequence
        if not held or (calls * batch) % held or held % batch or batch % length:
            raise BadSetting(f"{held} rows are no whole epochs of {calls} minibatches of {batch}")
        if length > 1 and held % (self.count * length):
            raise BadSetting(f"{held} rows of {self.count} environments are no whole sequences of {length}")
        epochs = calls * batch // held
        firsts = [rng.permutation(held // length) * length for _ in range(epochs)]
        rows = (np.concatenate(firsts)[:, None] + np.arange(length)).reshape(calls, batch)
        packed = [self.columns[name][rows].reshape(calls, batch, -1) for name in self.layout.packed]
        apart = {one.name: self.columns[one.name][rows] for one in self.layout.apart}
        self.columns = self.empty()
        return Sample(rows, np.concatenate(packed, axis=2), None, apart)

    def learned(self, rows, priority):
        pass

    def __len__(self):
        return len(self.columns["action"])

    def state(self):
        return {name: kept.copy() for name, kept in self.columns.items()}

    def restore(self, state):
        shapes = {name: kept.shape[1:] for name, kept in self.columns.items()}
        if {name: kept.shape[1:] for name, kept in state.items()} != shapes:
            raise BadCheckpoint("the saved rows do not fit this memory")
        self.columns = {name: kept.copy() for name, kept in state.items()}
