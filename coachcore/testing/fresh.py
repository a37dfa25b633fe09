"""What a memory must keep true whose rows are used once (`fresh` in @component); others pass unasked."""

from __future__ import annotations

from typing import Any

import numpy as np

from coachcore.component import spec_of
from coachcore.errors import CoachError
from coachcore.layout import Layout
from coachcore.testing.laws import chi_square, chi_square_limit, refuses, require, same, saved
from coachcore.testing.numbered import numbered, numbers_of, told
from coachcore.types import Array

BATCH = 8
SIZE = 6 * BATCH
"""Rows of a rollout under test."""


def is_fresh(part: Any) -> bool:
    """Whether the rows of the memory are used once."""
    return bool(spec_of(part).facts.get("fresh", False))


def each_row_comes_once_an_epoch(part: Any, layout: Layout) -> None:
    """Each epoch is a new shuffling of all rows, and nothing is left of them."""
    if not is_fresh(part):
        return
    store, rng = part.make(layout, 1), np.random.default_rng(0)
    for epochs in (1, 3):
        store.add(numbered(layout, 0, SIZE - 1))
        store.add(numbered(layout, SIZE - 1, 1))
        require(len(store) == SIZE, f"{SIZE} rows were added, not {len(store)}")
        drawn = numbers_of(layout, store.sample(rng, epochs * SIZE // BATCH, BATCH, 0)).reshape(epochs, SIZE)
        require(
            bool(np.all(np.sort(drawn, axis=1) == np.arange(SIZE))), "each epoch holds every row once, whatever its K"
        )
        require(len(np.unique(drawn, axis=0)) == epochs, "each epoch is shuffled anew")
        require(len(store) == 0, f"rows are used once, but {len(store)} are left")
        refuses(lambda: store.sample(rng, 1, 1, 0), CoachError, "what was drawn once is not drawn again: a CoachError")


def every_order_is_as_likely(part: Any, layout: Layout) -> None:
    """Each row is as often at each place of an epoch; a fair memory fails once in a million seeds (and it is fixed)."""
    if not is_fresh(part) or "any" not in spec_of(part).facts["orders"]:
        return
    store, epochs = part.make(layout, 1), 200 * BATCH
    store.add(numbered(layout, 0, BATCH))
    drawn = told(layout, store.sample(np.random.default_rng(7), epochs, BATCH, 0))
    counts = np.stack([np.bincount(place, minlength=BATCH) for place in drawn.T])
    found = chi_square(counts.ravel(), np.full(BATCH * BATCH, epochs / BATCH))
    require(
        found <= chi_square_limit((BATCH - 1) ** 2),
        f"every row comes as often at every place of an epoch, chi-square is {found:.0f}",
    )


def sequences_stay_whole(part: Any, layout: Layout) -> None:
    """Asked for sequences, minibatches hold whole ones, in time, each once an epoch and within one environment."""
    if not is_fresh(part) or "sequence" not in spec_of(part).facts["orders"]:
        return
    store, length = part.make(layout, 3, BATCH // 2), BATCH // 2
    store.add(numbered(layout, 0, SIZE))
    drawn = numbers_of(layout, store.sample(np.random.default_rng(0), 2 * SIZE // BATCH, BATCH, 0))
    sequences = drawn.reshape(2, -1, length)  # [epochs, S, T]
    require(bool(np.all(np.diff(sequences) == 1)), "a sequence is consecutive rows, in time")
    firsts = np.sort(sequences[..., 0], axis=1)
    require(bool(np.all(firsts == np.arange(0, SIZE, length))), "each epoch holds every sequence once")
    odd = part.make(layout, 3, length)
    refuses(lambda: _all_of(odd, layout, 2 * length), CoachError, "a sequence that would join two environments: error")


def _all_of(store: Any, layout: Layout, rows: int) -> None:
    store.add(numbered(layout, 0, rows))
    store.sample(np.random.default_rng(0), 1, rows, 0)


def what_does_not_divide_is_refused(part: Any, layout: Layout) -> None:
    """Rows that do not make whole minibatches and epochs are a `CoachError`, and are not lost."""
    if not is_fresh(part):
        return
    store = _filled(part, layout, 0)
    for calls, batch in ((SIZE // 5, 5), (SIZE // BATCH + 1, BATCH)):
        refuses(
            lambda calls=calls, batch=batch: store.sample(np.random.default_rng(0), calls, batch, 0),
            CoachError,
            f"{calls} minibatches of {batch} are no epoch of {SIZE} rows: a CoachError",
        )
        require(len(store) == SIZE, "rows that could not be drawn stay")


def a_saved_rollout_goes_on_bit_for_bit(part: Any, layout: Layout) -> None:
    """Restored, it draws what the saved one draws, also after more was added, and when nothing was left."""
    if not is_fresh(part):
        return
    for held in (SIZE, 0):
        one, other = _filled(part, layout, 0), _filled(part, layout, 900)
        if not held:
            _drawn(one, SIZE)
        state = one.state()
        kept = saved(state)
        other.restore(saved(state))
        require(len(one) == len(other) == held, f"{held} rows were saved, {len(other)} came back")
        for store in (one, other):
            store.add(numbered(layout, 300, BATCH))
        require(
            same(*(_drawn(store, held + BATCH) for store in (one, other))),
            "a memory that was saved and read back goes on bit for bit",
        )
        require(same(kept, saved(state)), "a state that was handed out is not written to later")


def _drawn(store: Any, rows: int) -> list[Array]:
    """Everything of two epochs over `rows` rows."""
    sample = store.sample(np.random.default_rng(1), 2 * rows // BATCH, BATCH, 0)
    return [np.asarray(sample.rows), np.asarray(sample.packed), *map(np.asarray, sample.apart.values())]


def _filled(part: Any, layout: Layout, first: int) -> Any:
    store = part.make(layout, 1)
    store.add(numbered(layout, first, SIZE))
    return store


FRESH_LAWS = (
    each_row_comes_once_an_epoch,
    every_order_is_as_likely,
    sequences_stay_whole,
    what_does_not_divide_is_refused,
    a_saved_rollout_goes_on_bit_for_bit,
)


class FreshConformance:
    """The laws above as tests; `coachcore.testing.memory.MemoryConformance` has them and all others."""

    layout: Layout

    def make(self) -> Any:
        """The memory to test; one whose rows are reused holds at most 4,096 transitions."""
        raise NotImplementedError

    def test_each_row_comes_once_an_epoch(self) -> None:
        each_row_comes_once_an_epoch(self.make(), self.layout)

    def test_every_order_is_as_likely(self) -> None:
        every_order_is_as_likely(self.make(), self.layout)

    def test_sequences_stay_whole(self) -> None:
        sequences_stay_whole(self.make(), self.layout)

    def test_what_does_not_divide_is_refused(self) -> None:
        what_does_not_divide_is_refused(self.make(), self.layout)

    def test_a_saved_rollout_goes_on_bit_for_bit(self) -> None:
        a_saved_rollout_goes_on_bit_for_bit(self.make(), self.layout)
