"""Rollouts: every row once an epoch, whole sequences, and nothing left."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_memories.rollout import Rollout
from coachcore.api import BadCheckpoint, BadSetting, Column, Layout
from coachcore.testing.laws import chi_square, chi_square_limit

LAYOUT = Layout((Column("obs.picture", (2, 1), "uint8"), Column("action"), Column("spread", (2, 2))))


def columns(numbers):
    numbers = np.asarray(numbers)
    picture = np.stack([numbers % 256, numbers % 7], axis=1)[..., None].astype(np.uint8)
    return {"obs.picture": picture, "action": numbers, "spread": numbers[:, None, None] + np.arange(4.0).reshape(2, 2)}


def filled(rows, count=1, sequence=1):
    store = Rollout().make(LAYOUT, count, sequence)
    store.add(columns(np.arange(rows)))
    return store


def numbers(sample):
    """Which rows came ``[K, B]``, once it is sure that no row is mixed with another."""
    found = sample.packed[..., 0].astype(np.int64)
    assert np.array_equal(sample.packed[..., 1:], found[..., None] + np.arange(4.0))
    assert np.array_equal(sample.apart["obs.picture"][..., 0, 0], found % 256)
    assert np.array_equal(sample.apart["obs.picture"][..., 1, 0], found % 7)
    return found


def test_by_hand():
    sample = filled(4).sample(np.random.default_rng(0), 2, 4, 0)
    order = np.random.default_rng(0).permuted([[0, 1, 2, 3]] * 2, axis=1)
    assert sample.rows.tolist() == order.tolist()
    assert numbers(sample).tolist() == order.tolist()
    assert sample.packed.dtype == np.float32
    assert sample.apart["obs.picture"].shape == (2, 4, 2, 1)
    assert sample.weight is None


@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 3), st.integers(0, 99))
def test_every_row_comes_once_an_epoch_and_nothing_is_left(minibatches, batch, epochs, seed):
    rows = minibatches * batch
    store = filled(rows)
    found = numbers(store.sample(np.random.default_rng(seed), epochs * minibatches, batch, 0))
    assert found.shape == (epochs * minibatches, batch)
    for epoch in found.reshape(epochs, rows):
        assert sorted(epoch) == list(range(rows))
    assert len(store) == 0
    with pytest.raises(BadSetting, match="memory: nothing can be drawn from an empty memory"):
        store.sample(np.random.default_rng(0), 1, 1, 0)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(2, 4), st.integers(1, 3), st.integers(0, 99))
def test_sequences_stay_whole_and_in_time(count, each, sequence, epochs, seed):
    rows = count * each * sequence
    store = filled(rows, count, sequence)
    found = numbers(store.sample(np.random.default_rng(seed), epochs * count, each * sequence, 0))
    for epoch in found.reshape(epochs, -1, sequence):
        assert sorted(epoch[:, 0]) == list(range(0, rows, sequence))
        assert np.array_equal(epoch, epoch[:, :1] + np.arange(sequence))


def test_each_row_is_as_often_at_each_place():
    """4,000 epochs of 5 rows; fails once in a million seeds."""
    found = numbers(filled(5).sample(np.random.default_rng(3), 4_000, 5, 0))
    counts = np.stack([np.bincount(place, minlength=5) for place in found.T])
    assert chi_square(counts.ravel(), np.full(25, 800.0)) < chi_square_limit(16)


def test_what_is_added_in_parts_is_one_rollout():
    store = filled(2)
    store.add(columns([2, 3, 4]))
    assert len(store) == 5
    assert sorted(numbers(store.sample(np.random.default_rng(0), 1, 5, 0))[0]) == [0, 1, 2, 3, 4]
    store.add(columns([7]))
    assert numbers(store.sample(np.random.default_rng(0), 2, 1, 0)).tolist() == [[7], [7]]


def test_what_does_not_divide_is_refused_and_nothing_is_lost():
    store, rng = filled(12, 2, 3), np.random.default_rng(0)
    with pytest.raises(BadSetting, match="memory: a rollout of 12 rows cannot be cut into minibatches of 5 - choose"):
        store.sample(rng, 1, 5, 0)
    with pytest.raises(BadSetting, match="memory: 3 minibatches of 6 are no whole number of epochs over 12 rows"):
        store.sample(rng, 3, 6, 0)
    with pytest.raises(BadSetting, match="memory: minibatches of 4 rows do not hold whole sequences of 3 steps"):
        store.sample(rng, 3, 4, 0)
    with pytest.raises(BadSetting, match="memory: 9 rows of 2 environments cannot be cut into sequences of 3 steps"):
        store.add(columns(range(9)))
    assert len(store) == 12
    assert store.sample(rng, 2, 6, 0).rows.shape == (2, 6)


@pytest.mark.parametrize("rows", [0, 6])
def test_a_restored_memory_goes_on(rows):
    one, other = filled(rows), filled(9)
    state = one.state()
    other.restore(state)
    for store in (one, other):
        store.add(columns([20, 21]))
    drawn = [store.sample(np.random.default_rng(1), 3, rows + 2, 0) for store in (one, other)]
    assert numbers(drawn[0]).tolist() == numbers(drawn[1]).tolist()
    assert len(state["packed"]) == rows


def test_the_state_of_other_columns_is_refused():
    with pytest.raises(BadCheckpoint, match="memory: the saved rollout has other columns"):
        Rollout().make(Layout((Column("action"),)), 1).restore(filled(2).state())
