"""Running statistics against NumPy's and against a loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coach_filters.normalization import Normalization, learned
from coachcore.api import Box, Discrete, Mismatch, Rows

SPACE = Box((3,))
numbers = arrays(np.float32, st.tuples(st.integers(1, 20), st.just(3)), elements=st.floats(-1e3, 1e3, width=32))


def rows(count):
    return Rows(np.arange(count), first=False)


def test_by_hand():
    part, space = Normalization(epsilon=1e-12), Box((1,))
    state, first = part(part.init(space, 1), np.array([[2.0]], np.float32), rows(1))
    assert first.tolist() == [[0.0]]
    state, second = part(state, np.array([[6.0]], np.float32), rows(1))
    # mean 4, variance ((2 - 4)^2 + (6 - 4)^2) / 1 = 8
    assert (state["count"], state["mean"].tolist(), state["m2"].tolist()) == (2, [4.0], [8.0])
    assert second == pytest.approx(2 / np.sqrt(8))
    assert second.dtype == np.float32


def test_far_values_are_cut_off_at_clip_deviations():
    part = Normalization(clip=1.0)
    state = part.init(Box((1,)), 1)
    state, _ = part(state, np.zeros((1000, 1), np.float32), rows(1000))
    _, out = part(state, np.array([[50.0], [-50.0]], np.float32), rows(2))
    assert out.tolist() == [[1.0], [-1.0]]


def test_the_promised_space():
    space = Normalization(clip=2.5).space(Box((2,), 0, 255, "uint8", names=("a", "b")))
    assert space == Box((2,), -2.5, 2.5, names=("a", "b"))


def test_no_values_change_nothing():
    part = Normalization()
    state = part.init(SPACE, 2)
    after, out = part(state, np.empty((0, 3), np.float32), rows(0))
    assert after is state
    assert out.shape == (0, 3)


def test_discrete_values_have_no_mean():
    with pytest.raises(Mismatch, match=r"normalization: only real numbers \(a box\) have a mean"):
        Normalization().space(Discrete(4))


@given(st.lists(numbers, min_size=1, max_size=5))
def test_the_statistics_are_numpys(batches):
    part = Normalization()
    state = part.init(SPACE, 20)
    for batch in batches:
        state, _ = part(state, batch, rows(len(batch)))
    seen = np.concatenate(batches).astype(np.float64)
    assert state["count"] == len(seen)
    assert state["mean"] == pytest.approx(seen.mean(axis=0), abs=1e-9)
    assert state["m2"] == pytest.approx(seen.var(axis=0) * len(seen), rel=1e-6, abs=1e-6)


@given(numbers, numbers)
def test_a_batch_moves_the_statistics_as_its_rows_do(before, batch):
    state = learned(Normalization().init(SPACE, 1), before)
    at_once, one_by_one = learned(state, batch), state
    for row in batch:
        one_by_one = learned(one_by_one, row[None])
    assert at_once["count"] == one_by_one["count"]
    assert at_once["mean"] == pytest.approx(one_by_one["mean"], abs=1e-9)
    assert at_once["m2"] == pytest.approx(one_by_one["m2"], rel=1e-6, abs=1e-6)


def test_a_million_and_a_little_does_not_cancel():
    values = (1e6 + np.array([0.0, 1.0, 0.0, 1.0]))[:, None]
    state = Normalization().init(Box((1,)), 1)
    for value in np.tile(values, (500, 1)):
        state = learned(state, value[None])
    assert state["m2"][0] / state["count"] == pytest.approx(0.25, rel=1e-6)


def test_in_evaluation_a_value_does_not_depend_on_its_neighbours():
    rule = Normalization()
    state = rule.init(Box((1,)), 2)
    for value in range(10):
        state, _ = rule(state, np.array([[float(value)], [2.0 * value]], np.float32), Rows(np.arange(2), False))
    _, alone = rule(state, np.array([[3.0]], np.float32), Rows(np.arange(1), False, evaluating=True))
    _, beside = rule(state, np.array([[3.0], [-9.0]], np.float32), Rows(np.arange(2), False, evaluating=True))
    assert alone[0, 0] == beside[0, 0]


# rewards


def test_rewards_are_plain_numbers_in_the_state():
    part, space = Normalization(epsilon=1e-12), Box((), -100, 100)
    state, out = part(part.init(space, 2), np.array([1.0, 3.0]), rows(2))
    assert state == {"count": 2, "mean": 2.0, "m2": 2.0}
    assert type(state["mean"]) is type(state["m2"]) is float
    assert out.tolist() == pytest.approx([-(0.5**0.5), 0.5**0.5])
    assert out.shape == (2,)
    assert part.space(space) == Box((), -5, 5)


@given(arrays(np.float64, st.integers(1, 20), elements=st.floats(-1e3, 1e3)), st.integers(1, 5))
def test_rewards_in_batches_are_numpys_too(values, size):
    part = Normalization()
    state = part.init(Box(()), size)
    for start in range(0, len(values), size):
        batch = values[start : start + size]
        state, _ = part(state, batch, rows(len(batch)))
    assert state["count"] == len(values)
    assert state["mean"] == pytest.approx(values.mean(), abs=1e-9)
    assert state["m2"] == pytest.approx(values.var() * len(values), rel=1e-6, abs=1e-6)


# several workers


@pytest.mark.parametrize("shape", [(), (3,)])
@given(sizes=st.lists(st.integers(0, 7), min_size=1, max_size=4), seed=st.integers(0, 99))
def test_what_workers_saw_is_put_together_as_if_one_had_seen_it(shape, sizes, seed):
    """Slow twin: one worker that sees everything."""
    rng, part = np.random.default_rng(seed), Normalization()
    common = rng.normal(3, 2, (5, *shape))
    seen = [rng.normal(worker, 4, (size, *shape)) for worker, size in enumerate(sizes)]
    before = learned(part.init(Box(shape), 1), common)
    merged = part.merge(before, [learned(before, values) for values in seen])
    twin = learned(part.init(Box(shape), 1), np.concatenate([common, *seen]))
    assert merged["count"] == twin["count"]
    assert merged["mean"] == pytest.approx(twin["mean"], abs=1e-9)
    assert merged["m2"] == pytest.approx(twin["m2"], rel=1e-6)


def test_workers_that_begin_with_nothing_are_put_together():
    part, space = Normalization(), Box((2,))
    nothing = part.init(space, 1)
    values = np.arange(12.0).reshape(6, 2)
    merged = part.merge(nothing, [learned(nothing, values[:4]), nothing, learned(nothing, values[4:])])
    twin = learned(nothing, values)
    assert merged["count"] == 6
    assert merged["mean"] == pytest.approx(twin["mean"])
    assert merged["m2"] == pytest.approx(twin["m2"])
    assert part.merge(nothing, [nothing, nothing]) == nothing
