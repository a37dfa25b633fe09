"""The last few observations at once: by hand and against a list."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_filters.observation.stacking import Stacking
from coachcore.api import BadSetting, Box, Discrete, Mismatch, Rows, spec_of


def test_a_vector_by_hand():
    part, space = Stacking(size=3), Box((2,), (-1, 0), (1, 5), names=("place", "speed"))
    state = part.init(space, 1)
    seen = []
    for value, first in (([1, 2], True), ([3, 4], False), ([5, 6], False), ([7, 8], False), ([0, 0], True)):
        state, out = part(state, np.array([value], np.float32), Rows(np.array([0]), first))
        seen.append(out[0].tolist())
    assert seen == [[1, 2, 1, 2, 1, 2], [1, 2, 1, 2, 3, 4], [1, 2, 3, 4, 5, 6], [3, 4, 5, 6, 7, 8], [0] * 6]


def test_a_promised_vector():
    space = Stacking(size=2).space(Box((2,), (-1, 0), (1, 5), names=("place", "speed")))
    assert space == Box((4,), (-1, 0) * 2, (1, 5) * 2, names=("place 1 before", "speed 1 before", "place", "speed"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((20, 30), (20, 30, 4)),
        ((20, 30, 1), (20, 30, 4)),
        ((5, 6, 3), (5, 6, 12)),
        ((3,), (12,)),
        ((2, 3, 4, 5), (2, 3, 4, 20)),
    ],
)
def test_shapes(before, after):
    part, space = Stacking(size=4), Box(before, 0, 255, "uint8")
    assert part.space(space) == Box(after, 0, 255, "uint8")
    _, out = part(part.init(space, 2), np.full((2, *before), 3, np.uint8), Rows(np.arange(2), first=True))
    assert (out.shape, out.dtype, out.min()) == ((2, *after), np.uint8, 3)


@given(st.lists(st.tuples(st.sets(st.integers(0, 3), min_size=1), st.booleans()), max_size=12), st.integers(1, 4))
def test_the_slow_twin_remembers_the_same(calls, size):
    """Each environment has a list of its own."""
    part, space, rng = Stacking(size=size), Box((2, 3), 0, 255, "uint8"), np.random.default_rng(0)
    state, twins = part.init(space, 4), [deque([np.zeros((2, 3), np.uint8)] * size, size) for _ in range(4)]
    for chosen, first in calls:
        envs = np.array(sorted(chosen))
        values = rng.integers(0, 256, (len(envs), 2, 3), np.uint8)
        state, out = part(state, values, Rows(envs, first))
        for place, env in enumerate(envs.tolist()):
            twins[env].extend([values[place]] * (size if first else 1))
            np.testing.assert_array_equal(out[place], np.stack(twins[env], axis=-1))


def test_it_moves_on_in_evaluation_on_a_copy():
    part, space = Stacking(size=2), Box((1,))
    assert spec_of(part).facts["episodic"] is True
    state, _ = part(part.init(space, 1), np.ones((1, 1), np.float32), Rows(np.array([0]), first=True))
    after, out = part(state, np.zeros((1, 1), np.float32), Rows(np.array([0]), first=False, evaluating=True))
    assert (state.tolist(), after.tolist(), out.tolist()) == ([[1, 1]], [[1, 0]], [[1, 0]])


def test_what_does_not_fit_is_refused():
    for space in (Discrete(3), Box(())):
        with pytest.raises(Mismatch, match=r"stacking: vectors and pictures \(boxes\) can be stacked"):
            Stacking().space(space)
    with pytest.raises(BadSetting, match="size: 0 is out of range"):
        Stacking(size=0)
