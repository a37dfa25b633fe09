"""The tree of sums, by hand and against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coach_memories.sum_tree import SumTree

TOPS = (1, 2, 4, 2048)


def tree_of(values, top):
    tree = SumTree(len(values), top)
    tree.set(np.arange(len(values)), np.asarray(values, np.float64))
    return tree


def slow_find(values, mark):
    for row, value in enumerate(values):
        if mark < value:
            return row
        mark -= value
    return len(values) - 1


@pytest.mark.parametrize("top", TOPS)
def test_by_hand(top):
    tree = tree_of([2.5, 5, 10, 7.5], top)
    assert tree.levels[-1].sum() == 25
    assert tree.find(np.array([2, 3, 7, 8, 17.4, 17.6]) / 25).tolist() == [0, 1, 1, 2, 2, 3]


def test_the_levels_by_hand():
    tree = tree_of([2.5, 5, 5, 7.5], 1)
    assert [level.tolist() for level in tree.levels] == [[2.5, 5, 5, 7.5], [7.5, 12.5], [20]]
    tree.set(np.array([2]), np.array([10.0]))
    assert [level.tolist() for level in tree.levels] == [[2.5, 5, 10, 7.5], [7.5, 17.5], [25]]


@pytest.mark.parametrize("top", TOPS)
def test_of_a_row_named_twice_the_last_value_stays(top):
    tree = SumTree(5, top)
    tree.set(np.array([3, 1, 3, 3]), np.array([9.0, 2.0, 8.0, 4.0]))
    assert tree.leaves.tolist() == [0, 2, 0, 4, 0]
    assert tree.levels[-1].sum() == 6


@pytest.mark.parametrize(
    ("size", "top", "levels"), [(1, 1, 1), (5, 8, 1), (2048, 2048, 1), (2049, 2048, 2), (1_000_000, 2048, 10)]
)
def test_levels_end_where_a_running_sum_is_faster(size, top, levels):
    tree = SumTree(size, top)
    assert len(tree.levels) == levels
    assert len(tree.levels[-1]) <= top
    assert len(tree.leaves) == size


@given(st.data(), st.integers(1, 70), st.sampled_from(TOPS))
def test_it_finds_what_a_loop_finds(data, size, top):
    values = data.draw(arrays(np.int64, size, elements=st.integers(0, 9)).filter(np.any)).astype(np.float64)
    marks = data.draw(arrays(np.int64, 8, elements=st.integers(0, int(values.sum()) - 1))) + 0.5
    found = tree_of(values, top).find(marks / values.sum())
    assert found.tolist() == [slow_find(values, mark) for mark in marks]


@given(st.data(), st.integers(1, 70), st.sampled_from(TOPS))
def test_every_sum_stays_exactly_that_of_its_children(data, size, top):
    tree, twin = SumTree(size, top), np.zeros(size)
    for _ in range(3):
        rows = data.draw(arrays(np.int64, st.integers(0, 9), elements=st.integers(0, size - 1)))
        values = data.draw(arrays(np.float64, len(rows), elements=st.floats(0, 1e9)))
        tree.set(rows, values)
        for row, value in zip(rows, values, strict=True):
            twin[row] = value
    assert tree.leaves.tolist() == twin.tolist()
    again = tree_of(twin, top)
    assert all(np.array_equal(one, other) for one, other in zip(tree.levels, again.levels, strict=True))
    again.lift_all()
    assert all(np.array_equal(one, other) for one, other in zip(tree.levels, again.levels, strict=True))
