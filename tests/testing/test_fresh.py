"""The laws of memories whose rows are used once pass a sound one and catch each of several broken ones."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from coachcore.component import component, param
from coachcore.errors import BadCheckpoint, BadSetting, Mismatch
from coachcore.layout import Column, Layout
from coachcore.testing.fresh import FRESH_LAWS
from coachcore.testing.memory import LAWS, MemoryConformance, check_memory
from coachcore.types import Sample

LAYOUT = Layout((Column("obs.picture", (2,), "uint8"), Column("action"), Column("advantage"), Column("return")))


class ListRollout:
    """Rows in plain lists, drawn one by one: slow, and right unless told otherwise."""

    def __init__(self, part, layout, count, sequence):
        self.layout, self.count, self.sequence, self.fault, self.rows = layout, count, sequence, part.fault, []

    def add(self, columns):
        rows = len(columns["action"])
        if rows % (self.count * self.sequence) and self.sequence > 1 and self.fault != "joins":
            raise BadSetting("no whole sequences")
        if self.fault == "keeps the last":
            self.rows = []
        self.rows += [{name: np.array(column[row]) for name, column in columns.items()} for row in range(rows)]

    def order(self, rng, epoch):
        held = len(self.rows)
        firsts = np.arange(0, held, self.sequence)
        if self.fault == "turns":
            firsts = np.roll(firsts, rng.integers(2))
        elif self.fault == "with replacement":
            firsts = rng.choice(firsts, len(firsts))
        elif self.fault != "same order" or not epoch:
            self.last = rng.permutation(firsts)
            firsts = self.last
        else:
            firsts = self.last
        rows = (firsts[:, None] + np.arange(self.sequence)).ravel()
        return rng.permutation(held) if self.fault == "breaks sequences" else rows

    def sample(self, rng, calls, batch, step):
        held = len(self.rows)
        if not held:
            raise BadSetting("empty")
        if calls * batch % held:
            if self.fault == "loses":
                self.rows = []
            if self.fault != "any number":
                raise BadSetting("no whole epochs")
        epochs = max(calls * batch // held, 1)
        order = np.concatenate([self.order(rng, epoch) for epoch in range(epochs)])
        rows = np.resize(order, (calls, batch))
        sample = Sample(rows, self._packed(rows), None, {"obs.picture": self._column("obs.picture", rows)})
        if self.fault != "reuses":
            self.rows = []
        return sample

    def _column(self, name, rows):
        return np.array([[self.rows[row][name] for row in batch] for batch in rows])

    def _packed(self, rows):
        return np.stack([self._column(name, rows) for name in self.layout.packed], axis=-1).astype(np.float32)

    def state(self):
        names = [column.name for column in self.layout.columns]
        held = self.rows[:-1] if self.fault == "saves less" else self.rows
        return {"names": names, "rows": [dict(row) for row in held]}

    def restore(self, state):
        if state["names"] != [column.name for column in self.layout.columns]:
            raise BadCheckpoint("other columns")
        rows = state["rows"] if self.fault != "mixes restored" else state["rows"][::-1]
        self.rows = [dict(row) for row in rows]

    def __len__(self):
        return len(self.rows)


@component("memory", "fresh-toy", orders=["any", "sequence"], fresh=True, weighted=False)
@attrs.frozen(kw_only=True)
class Fresh:
    """Rows that are used once."""

    fault: str = param(default="", doc="what to do wrong")

    def make(self, layout, count, sequence=1):
        return ListRollout(self, layout, count, sequence)


@component("memory", "fresh-ordered-toy", orders=["episode"], fresh=True, weighted=False)
@attrs.frozen(kw_only=True)
class Ordered:
    """Promises nothing about order or sequences."""

    fault: str = param(default="turns", doc="what to do wrong")

    def make(self, layout, count, sequence=1):
        if sequence > 1:
            raise Mismatch("whole episodes only")
        return ListRollout(self, layout, count, sequence)


FAULTS = {
    "keeps the last": "48 rows were added, not 1",
    "with replacement": "each epoch holds every row once",
    "same order": "each epoch is shuffled anew",
    "reuses": "rows are used once, but 48 are left",
    "turns": "chi-square is",
    "breaks sequences": "a sequence is consecutive rows, in time",
    "joins": "would join two environments: error; nothing was raised",
    "any number": "are no epoch of 48 rows: a CoachError; nothing was raised",
    "loses": "rows that could not be drawn stay",
    "saves less": "48 rows were saved, 47 came back",
    "mixes restored": "goes on bit for bit",
}


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_fault_is_caught(fault):
    laws = [law for law in FRESH_LAWS if fault != "turns" or law.__name__.startswith("every_order")]
    with pytest.raises(AssertionError, match=FAULTS[fault]):
        _ = [law(Fresh(fault=fault), LAYOUT) for law in laws]


def test_a_sound_memory_passes():
    check_memory(Fresh(), LAYOUT)


def test_what_is_not_promised_is_not_asked():
    for law in LAWS:
        if not law.__name__.startswith("each_row"):
            law(Ordered(), LAYOUT)


class TestToy(MemoryConformance):
    layout = LAYOUT

    def make(self):
        return Fresh()
