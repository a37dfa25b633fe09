"""The suite for memories passes sound ones and catches each of several broken ones."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from coachcore.component import component, param
from coachcore.errors import BadCheckpoint, BadSetting, Mismatch
from coachcore.layout import Column, Layout
from coachcore.testing.memory import LAWS, MemoryConformance, check_memory
from coachcore.types import Sample

LAYOUT = Layout((Column("obs.picture", (2,), "uint8"), Column("obs.speed", (2,)), Column("action"), Column("reward")))


class ListStore:
    """Transitions in a plain list, oldest first: slow, and right unless told otherwise."""

    def __init__(self, part, layout):
        self.part, self.layout, self.fault, self.rows, self.weights = part, layout, part.fault, [], []

    def add(self, columns):
        if self.fault == "keeps what it got":
            columns = {name: [column[i : i + 1] for i in range(len(column))] for name, column in columns.items()}
        count = len(next(iter(columns.values())))
        self.rows += [{name: np.asarray(columns[name][i])[...] for name in columns} for i in range(count)]
        self.rows = [
            {k: v if self.fault == "keeps what it got" else v.copy() for k, v in row.items()} for row in self.rows
        ]
        self.weights += [1.0] * count
        keep = slice(0, self.part.capacity) if self.fault == "newest leave" else slice(-self.part.capacity, None)
        if self.fault != "grows":
            self.rows, self.weights = self.rows[keep], self.weights[keep]

    def sample(self, rng, calls, batch, step):
        if not self.rows and self.fault != "empty is fine":
            raise BadSetting("the memory is empty")
        chances = np.array(self.weights) + 1e-9
        if self.fault == "unfair":
            chances = chances + 0.5 * (np.arange(len(chances)) < len(chances) / 2)
        if self.fault == "own chance":
            rng = np.random.default_rng()
        size = max(len(chances), 1)
        rows = rng.choice(size, (calls, batch), p=chances / chances.sum() if len(chances) else None)
        return self._sample(rows, chances)

    def _sample(self, rows, chances):
        floats = [c for c in self.layout.columns if c.dtype == "float32"]
        shift = 1 if self.fault == "mixes" else 0
        packed = [[self._packed(floats, row, shift) for row in batch] for batch in rows]
        apart = {c.name: np.array([[self.rows[r][c.name] for r in batch] for batch in rows]) for c in self.layout.apart}
        weight = None
        if self.part.__coach__.facts["weighted"] and self.fault != "no weights":
            raw = 1.0 / chances[rows] if self.fault != "wrong weights" else chances[rows]
            weight = (raw / raw.max()).astype(np.float32)
            weight = weight * 2 if self.fault == "heavy weights" else weight
        packed = np.array(packed, np.float64 if self.fault == "wide" else np.float32)
        return Sample(rows, packed, weight, {} if self.fault == "no bytes" else apart)

    def _packed(self, floats, row, shift):
        other = (row + shift) % len(self.rows)
        parts = [np.ravel(self.rows[other if c.name == "reward" else row][c.name]) for c in floats]
        return np.concatenate(parts)

    def learned(self, rows, priority):
        if self.part.__coach__.facts["weighted"] is (self.fault == "deaf"):
            return
        for row, value in zip(rows.ravel(), priority.ravel(), strict=True):
            self.weights[row] = float(value)

    def state(self):
        columns = [c.name for c in self.layout.columns]
        rows = {name: np.array([row[name] for row in self.rows]) for name in columns}
        return {"rows": rows, "weights": [] if self.fault == "forgets" else list(self.weights)}

    def restore(self, state):
        if set(state["rows"]) != {c.name for c in self.layout.columns} and self.fault != "takes all":
            raise BadCheckpoint("other columns")
        self.rows, self.weights = [], []
        fault, self.fault = self.fault, ""
        self.add({name: np.asarray(rows) for name, rows in state["rows"].items()})
        self.fault = fault
        self.weights = list(state["weights"]) or self.weights

    def __len__(self):
        return len(self.rows)


@component("memory", "toy", orders=["any"], fresh=False, weighted=True)
@attrs.frozen(kw_only=True)
class Weighted:
    """A list that prefers what surprises."""

    capacity: int = param(default=10, doc="transitions kept")
    fault: str = param(default="", doc="what to do wrong")

    def make(self, layout, count, sequence=1):
        if sequence > 1 and self.fault != "takes sequences":
            raise Mismatch("single transitions only")
        return ListStore(self, layout)


@component("memory", "plain-toy", orders=["any"], fresh=False, weighted=False)
@attrs.frozen(kw_only=True)
class Plain:
    """A list that prefers nothing."""

    capacity: int = param(default=10, doc="transitions kept")
    fault: str = param(default="", doc="what to do wrong")

    def make(self, layout, count, sequence=1):
        if sequence > 1 and self.fault != "takes sequences":
            raise Mismatch("single transitions only")
        return ListStore(self, layout)


@component("memory", "ordered-toy", orders=["episode"], fresh=False, weighted=False)
@attrs.frozen(kw_only=True)
class Ordered:
    """Makes no promise about single transitions: the first half comes more often."""

    capacity: int = param(default=10, doc="transitions kept")
    fault: str = param(default="unfair", doc="what to do wrong")

    def make(self, layout, count, sequence=1):
        if sequence > 1 and self.fault != "takes sequences":
            raise Mismatch("single transitions only")
        return ListStore(self, layout)


@component("memory", "silent-toy", orders=["any"])
@attrs.frozen(kw_only=True)
class Silent:
    """Does not say whom it can serve."""

    capacity: int = param(default=10, doc="transitions kept")


FAULTS = {
    "grows": "after 19 transitions 10 are held, not 19",
    "newest leave": "only the last 10 of 19 transitions are drawn",
    "empty is fine": "drawing from an empty memory is a CoachError",
    "mixes": "the columns of one transition stay together, 'reward' is another's",
    "wide": "packed is float32, got float64",
    "unfair": "drawn equally often, chi-square is",
    "own chance": "depends on the stream only",
    "keeps what it got": "the columns of one transition stay together",
    "takes sequences": "sequences asked of a memory without that order: a Mismatch; nothing was raised",
    "takes all": "the state of a memory with other columns is a BadCheckpoint; nothing was raised",
}
WEIGHTED = {
    "no weights": "hands out weights",
    "heavy weights": r"they lie in \(0, 1\]",
    "wrong weights": "what is drawn more often weighs less",
    "deaf": "more surprising transitions are drawn more often",
    "forgets": "goes on bit for bit",
}


@pytest.mark.parametrize("fault", sorted(FAULTS))
@pytest.mark.parametrize("part", [Weighted, Plain])
def test_a_fault_is_caught(part, fault):
    with pytest.raises(AssertionError, match=FAULTS[fault]):
        check_memory(part(fault=fault), LAYOUT)


@pytest.mark.parametrize("fault", sorted(WEIGHTED))
def test_a_fault_of_priorities_is_caught(fault):
    with pytest.raises(AssertionError, match=WEIGHTED[fault]):
        check_memory(Weighted(fault=fault), LAYOUT)


def test_missing_columns_are_caught():
    law = next(law for law in LAWS if law.__name__.startswith("a_sample"))
    with pytest.raises(AssertionError, match="columns that are not float32 come apart, by name"):
        law(Plain(fault="no bytes"), LAYOUT)


def test_only_a_memory_without_order_promises_equal_chances():
    law = next(law for law in LAWS if law.__name__.startswith("equal_surprise"))
    law(Ordered(), LAYOUT)


def test_a_preference_where_there_should_be_none_is_caught():
    with pytest.raises(AssertionError, match="does not prefer any transition"):
        check_memory(Plain(fault="deaf"), LAYOUT)


@pytest.mark.parametrize("part", [Silent(), Plain(capacity=5_000)])
def test_a_part_that_the_suite_cannot_use_is_said(part):
    with pytest.raises(AssertionError, match="says fresh, weighted" if part.capacity == 10 else "of at most 4096"):
        check_memory(part, LAYOUT)


@pytest.mark.parametrize("part", [Weighted(), Plain()])
def test_a_sound_memory_passes(part):
    check_memory(part, LAYOUT)


def test_the_class_form_has_every_law():
    assert {f"test_{law.__name__}" for law in LAWS} <= set(dir(MemoryConformance))
    with pytest.raises(NotImplementedError):
        MemoryConformance().make()


class TestToy(MemoryConformance):
    def make(self):
        return Weighted()
