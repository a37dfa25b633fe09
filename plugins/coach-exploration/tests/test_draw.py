"""Drawing one of several: by hand, against a loop, and how fairly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coach_exploration.draw import drawn, mostly
from coachcore.testing.laws import chi_square, chi_square_limit

weights = st.tuples(st.integers(1, 6), st.integers(1, 40)).flatmap(
    lambda shape: arrays(np.float32, shape, elements=st.sampled_from([0.0, 1e-30, 0.125, 0.3, 1.0, 7.0]))
)


class Chance:
    """A stand-in for a random generator that hands out known numbers."""

    def __init__(self, *numbers):
        self.numbers = np.array(numbers)

    def random(self, size=None):
        return self.numbers[0] if size is None else self.numbers.reshape(size)


def slowly(row, uniform):
    """Slow twin: the first index at which the running sum reaches the threshold, in float32 as the row is."""
    sums, total = [], np.float32(0)
    for weight in row:
        total = np.float32(total + weight)
        sums.append(total)
    return next(index for index, reached in enumerate(sums) if reached >= (1.0 - uniform) * total)


def test_by_hand():
    rows = np.array([[0.2, 0.5, 0.3]] * 4, np.float32)
    assert drawn(rows, Chance(0.9, 0.7, 0.31, 0.1)).tolist() == [0, 1, 1, 2]  # thresholds 0.1, 0.3, 0.69, 0.9
    assert [drawn(rows[:1], Chance(u)).tolist() for u in (0.9, 0.7, 0.31, 0.1)] == [[0], [1], [1], [2]]


def test_rows_need_not_sum_to_one():
    assert drawn(np.array([[2.0, 2.0], [0.1, 0.1]]), Chance(0.49, 0.51)).tolist() == [1, 0]


@given(weights, st.integers(0, 2**32))
def test_the_slow_twin_draws_the_same(rows, seed):
    uniform = np.random.default_rng(seed).random(len(rows))
    chosen = drawn(rows, np.random.default_rng(seed))
    assert chosen.dtype == np.int64
    assert chosen.tolist() == [slowly(row, u) for row, u in zip(rows, uniform, strict=True)]


@given(weights, st.floats(0, 1, exclude_max=True))
def test_what_has_no_weight_is_never_drawn(rows, uniform):
    chosen = drawn(rows, Chance(*[uniform] * len(rows)))
    for row, index in zip(rows, chosen, strict=True):
        assert row[index] > 0 or not row.any()


@given(weights, st.integers(0, 2**32))
def test_a_draw_takes_one_number_a_row(rows, seed):
    drawing, counting = np.random.default_rng(seed), np.random.default_rng(seed)
    drawn(rows, drawing)
    counting.random(len(rows))
    assert drawing.random() == counting.random()


@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize("scale", [1.0, 0.999, 30.0])
def test_each_index_comes_as_often_as_its_weight_says(count, scale):
    """Fails once in a million seeds."""
    chances = np.array([0.05, 0.4, 0.25, 0.3])
    rng, rows, counts = np.random.default_rng(6), np.float32(scale * np.tile(chances, (count, 1))), np.zeros(4)
    for _ in range(6000 // count):
        counts += np.bincount(drawn(rows, rng), minlength=4)
    assert chi_square(counts, counts.sum() * chances) < chi_square_limit(3)


@given(st.integers(1, 6), st.integers(1, 9), st.floats(0, 1), st.integers(0, 2**32))
def test_the_slow_twin_is_as_greedy(count, actions, epsilon, seed):
    """Slow twin: environment by environment, from the same numbers."""
    numbers, best = np.random.default_rng(seed).random(2 * count), np.arange(count) % actions
    slow = [int(numbers[count + env] * actions) if numbers[env] < epsilon else int(best[env]) for env in range(count)]
    found = mostly(lambda: best, epsilon, actions, count, np.random.default_rng(seed))
    assert found.tolist() == slow
    assert found.dtype == np.int64
