"""What every memory must keep true; laws for memories whose rows are used once are in `fresh`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from coachcore.component import spec_of
from coachcore.errors import BadCheckpoint, CoachError, Mismatch
from coachcore.layout import Column, Layout
from coachcore.testing.fresh import BATCH, FRESH_LAWS, SIZE, FreshConformance, is_fresh
from coachcore.testing.laws import chi_square, chi_square_limit, refuses, require, same, saved, settings_are_frozen
from coachcore.testing.numbered import numbered, numbers_of
from coachcore.types import Sample

LARGEST = 4_096
"""Capacity that a memory under test may have at most: the laws fill it several times."""


def settings_never_change(part: Any, layout: Layout) -> None:
    """It is a memory that says whom it can serve, and its settings are frozen."""
    settings_are_frozen(part, "memory")
    facts: Mapping[str, Any] = spec_of(part).facts
    missing = {"orders", "fresh", "weighted"} - facts.keys()
    require(not missing, f"@component of a memory says {', '.join(sorted(missing))}")
    require(is_fresh(part) or part.capacity <= LARGEST, f"give the suite a memory of at most {LARGEST} transitions")


def an_empty_memory_says_so(part: Any, layout: Layout) -> None:
    """Drawing from nothing is an error in one line."""
    store = part.make(layout, 1)
    require(len(store) == 0, "a new memory is empty")
    refuses(
        lambda: store.sample(np.random.default_rng(0), 1, 1, 0),
        CoachError,
        "drawing from an empty memory is a CoachError",
    )


def the_oldest_leave_first(part: Any, layout: Layout) -> None:
    """Never more than `capacity` transitions, whole ones, the newest."""
    if is_fresh(part):
        return
    store, rng, added = part.make(layout, 1), np.random.default_rng(0), 0
    for count in (1, 2, part.capacity // 2 + 1, part.capacity, 1, 3 * part.capacity + 1, 1, 2):
        store.add(numbered(layout, added, count))
        added += count
        held = min(added, part.capacity)
        require(len(store) == held, f"after {added} transitions {held} are held, not {len(store)}")
        drawn = numbers_of(layout, store.sample(rng, 4, min(BATCH, held), 0))
        require(
            bool(np.all((drawn >= added - held) & (drawn < added))),
            f"only the last {held} of {added} transitions are drawn",
        )


def a_sample_has_the_shapes_it_says(part: Any, layout: Layout) -> None:
    """``[K, B]`` rows, ``[K, B, W]`` packed, the rest apart, weights where they are promised."""
    for calls in (SIZE // BATCH, 3 * SIZE // BATCH) if is_fresh(part) else (1, 3):
        sample = _filled(part, layout).sample(np.random.default_rng(0), calls, BATCH, 0)
        shape = (calls, BATCH)
        require(sample.rows.shape == shape, f"rows are [K, B] = {shape}, got {sample.rows.shape}")
        require(sample.rows.dtype.kind == "i", f"rows are whole numbers, got {sample.rows.dtype}")
        require(sample.packed.shape == (*shape, layout.width), f"packed is [K, B, W], got {sample.packed.shape}")
        require(sample.packed.dtype == np.float32, f"packed is float32, got {sample.packed.dtype}")
        require({c.name for c in layout.apart} == set(sample.apart), "columns that are not float32 come apart, by name")
        for column in layout.apart:
            found = sample.apart[column.name].dtype
            require(found == column.dtype, f"'{column.name}' is {column.dtype}, as it was added, got {found}")
        _weights_fit(part, sample)


def _weights_fit(part: Any, sample: Sample) -> None:
    if not spec_of(part).facts["weighted"]:
        require(sample.weight is None, "a memory that is not marked weighted hands out no weights")
        return
    require(sample.weight is not None, "a memory that is marked weighted hands out weights")
    weight = np.asarray(sample.weight)
    require(
        weight.shape == sample.rows.shape and weight.dtype == np.float32,
        f"weights are float32 [K, B], got {weight.dtype} {weight.shape}",
    )
    require(bool(np.all((weight > 0) & (weight <= 1))), "weights only scale down: they lie in (0, 1]")


def equal_streams_give_equal_samples(part: Any, layout: Layout) -> None:
    """Drawing changes nothing."""
    if is_fresh(part):
        return
    store = _filled(part, layout)
    once, again = (store.sample(np.random.default_rng(3), 2, BATCH, 0) for _ in range(2))
    require(_same_sample(once, again), "drawing changes nothing and depends on the stream only")


def nothing_is_shared(part: Any, layout: Layout) -> None:
    """What is handed in or out is copied."""
    size = _size(part)
    store, columns = part.make(layout, 1), numbered(layout, 0, size)
    store.add(columns)
    for column in columns.values():
        column[...] = 0
    sample = store.sample(np.random.default_rng(0), size // BATCH, BATCH, 0)
    numbers_of(layout, sample)  # says that columns are mixed when what was handed in is still in use
    kept = Sample(*(saved(field) for field in sample))
    store.add(numbered(layout, 5 * size, size))
    require(_same_sample(sample, kept), "a sample stays as it is when transitions are added")


def equal_surprise_is_drawn_equally(part: Any, layout: Layout) -> None:
    """A fair memory fails once in a million seeds (and the seed is fixed)."""
    if is_fresh(part) or "any" not in spec_of(part).facts["orders"]:
        return
    store, cells = _filled(part, layout), part.capacity
    calls = -(-100 * cells // BATCH)
    rows = store.sample(np.random.default_rng(11), calls, BATCH, 0).rows
    counts = np.bincount(rows.ravel(), minlength=cells)
    found = chi_square(counts, np.full(cells, rows.size / cells))
    require(
        found <= chi_square_limit(cells - 1),
        f"transitions that were never learned from are drawn equally often, chi-square is {found:.0f}",
    )
    require(
        bool(counts.min() >= counts.mean() / 4), "every transition that is held is drawn, the oldest and the newest"
    )


def what_was_learned_leaves_with_its_transition(part: Any, layout: Layout) -> None:
    """Where a transition lies says nothing of how surprising it is, and being told twice at once counts once."""
    if is_fresh(part) or "any" not in spec_of(part).facts["orders"]:
        return
    replaced, told = _filled(part, layout), _filled(part, layout)
    rows = np.arange(part.capacity)
    replaced.learned(rows[None], np.where(rows % 2, 9.0, 0.5).astype(np.float32))
    replaced.add(numbered(layout, part.capacity, part.capacity))
    twice = np.concatenate([rows, rows[rows % 2 == 1]])[None]
    told.learned(twice, np.full(twice.shape, 9.0, np.float32))
    for store, rule in (
        (replaced, "new transitions are as likely as each other, whatever was learned of those that lay there before"),
        (told, "a row that is told twice in one call counts as if it was told once"),
    ):
        odd = float((store.sample(np.random.default_rng(5), 2_500, BATCH, 0).rows % 2).mean())
        share = float((rows % 2).mean())
        require(abs(odd - share) < 0.03, f"{rule}: {odd:.0%} of what is drawn lies in odd rows, {share:.0%} should")


def surprise_counts_where_it_is_weighted(part: Any, layout: Layout) -> None:
    """With weights the surprising come more often and weigh less; without, nothing does."""
    if is_fresh(part):
        return
    store, rng = _filled(part, layout), np.random.default_rng(5)
    rows = np.arange(part.capacity)[None]
    store.learned(rows, np.where(rows % 2, 9.0, 0.5).astype(np.float32))
    drawn = store.sample(rng, 400, BATCH, 0)
    share = float((drawn.rows % 2).mean())
    if not spec_of(part).facts["weighted"]:
        require(abs(share - 0.5) < 0.05, "a memory that is not marked weighted does not prefer any transition")
        return
    require(
        share > 0.55, f"more surprising transitions are drawn more often, but they are {share:.0%} of what is drawn"
    )
    weight, odd = np.asarray(drawn.weight), drawn.rows % 2 == 1
    require(bool(weight[odd].max() <= weight[~odd].min()), "what is drawn more often weighs less")


def a_saved_memory_goes_on_bit_for_bit(part: Any, layout: Layout) -> None:
    """Restored, it draws what the saved one draws, also after more was added and learned."""
    if is_fresh(part):
        return
    for added in (3, part.capacity, part.capacity + 3):
        one, other = part.make(layout, 1), part.make(layout, 1)
        other.add(numbered(layout, 900, 5))  # restoring forgets what was there
        _use(one, layout, added, seed=1)
        state = one.state()
        kept = saved(state)
        other.restore(saved(state))
        require(len(one) == len(other), f"{len(one)} transitions were saved, {len(other)} came back")
        for seed in (2, 3):
            require(
                _use(one, layout, 5, seed) == _use(other, layout, 5, seed),
                "a memory that was saved and read back goes on bit for bit",
            )
        require(same(kept, saved(state)), "a state that was handed out is not written to later")


def sequences_are_refused_where_they_are_not_promised(part: Any, layout: Layout) -> None:
    """A memory without the order ``sequence`` says so when it is asked for sequences."""
    if "sequence" not in spec_of(part).facts["orders"]:
        refuses(lambda: part.make(layout, 1, 2), Mismatch, "sequences asked of a memory without that order: a Mismatch")


def another_layout_is_refused(part: Any, layout: Layout) -> None:
    """A state that does not fit is a `BadCheckpoint`."""
    state = _filled(part, layout).state()
    other = Layout((*layout.columns, Column("surplus")))
    refuses(
        lambda: part.make(other, 1).restore(saved(state)),
        BadCheckpoint,
        "the state of a memory with other columns is a BadCheckpoint",
    )


LAWS = (
    settings_never_change,
    an_empty_memory_says_so,
    the_oldest_leave_first,
    a_sample_has_the_shapes_it_says,
    equal_streams_give_equal_samples,
    nothing_is_shared,
    equal_surprise_is_drawn_equally,
    surprise_counts_where_it_is_weighted,
    what_was_learned_leaves_with_its_transition,
    a_saved_memory_goes_on_bit_for_bit,
    sequences_are_refused_where_they_are_not_promised,
    another_layout_is_refused,
    *FRESH_LAWS,
)


def check_memory(part: Any, layout: Layout) -> None:
    """Every law above for transitions of `layout`; raises `AssertionError` with the broken rule."""
    for law in LAWS:
        law(part, layout)


def _size(part: Any) -> int:
    return SIZE if is_fresh(part) else int(part.capacity)


def _filled(part: Any, layout: Layout) -> Any:
    store = part.make(layout, 1)
    store.add(numbered(layout, 0, _size(part)))
    return store


def _use(store: Any, layout: Layout, count: int, seed: int) -> list[bytes]:
    """Add `count` transitions, draw, learn, draw: everything drawn, as bytes."""
    rng = np.random.default_rng(seed)
    store.add(numbered(layout, 100 * seed, count))
    seen = []
    for _ in range(2):
        sample = store.sample(rng, 2, min(BATCH, len(store)), 0)
        seen += [np.asarray(part).tobytes() for part in (*sample[:3], *sample.apart.values()) if part is not None]
        store.learned(sample.rows, rng.random(sample.rows.shape, np.float32))
    return seen


def _same_sample(one: Sample, other: Sample) -> bool:
    return same(list(one), list(other))


class MemoryConformance(FreshConformance):
    """The laws as tests: subclass it as ``TestMine``, give `make` and the `layout` it is tried with."""

    layout: Layout = Layout(
        (
            Column("obs.observation", (4,)),
            Column("action"),
            Column("reward"),
            Column("discount"),
            Column("next_obs.observation", (4,)),
        )
    )

    def test_settings_never_change(self) -> None:
        settings_never_change(self.make(), self.layout)

    def test_an_empty_memory_says_so(self) -> None:
        an_empty_memory_says_so(self.make(), self.layout)

    def test_the_oldest_leave_first(self) -> None:
        the_oldest_leave_first(self.make(), self.layout)

    def test_a_sample_has_the_shapes_it_says(self) -> None:
        a_sample_has_the_shapes_it_says(self.make(), self.layout)

    def test_equal_streams_give_equal_samples(self) -> None:
        equal_streams_give_equal_samples(self.make(), self.layout)

    def test_nothing_is_shared(self) -> None:
        nothing_is_shared(self.make(), self.layout)

    def test_equal_surprise_is_drawn_equally(self) -> None:
        equal_surprise_is_drawn_equally(self.make(), self.layout)

    def test_surprise_counts_where_it_is_weighted(self) -> None:
        surprise_counts_where_it_is_weighted(self.make(), self.layout)

    def test_what_was_learned_leaves_with_its_transition(self) -> None:
        what_was_learned_leaves_with_its_transition(self.make(), self.layout)

    def test_a_saved_memory_goes_on_bit_for_bit(self) -> None:
        a_saved_memory_goes_on_bit_for_bit(self.make(), self.layout)

    def test_another_layout_is_refused(self) -> None:
        another_layout_is_refused(self.make(), self.layout)

    def test_sequences_are_refused_where_they_are_not_promised(self) -> None:
        sequences_are_refused_where_they_are_not_promised(self.make(), self.layout)
