"""Where weights lie in the flat vector, by hand, and there and back again."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from coach_tensorflow.flat import Segments

SHAPES = {"a": ((2, 2), (2,)), "b": ((3,),)}


def test_segments_follow_one_another() -> None:
    segments = Segments.of(SHAPES)
    assert {name: (segment.start, segment.size) for name, segment in segments.by_name.items()} == {
        "a": (0, 6),
        "b": (6, 3),
    }
    assert segments.size == 9
    flat = tf.range(9)
    assert segments.by_name["b"].of(flat).numpy().tolist() == [6, 7, 8]
    kernel, bias = segments.by_name["a"].weights((flat[:6],))
    assert (kernel.numpy().tolist(), bias.numpy().tolist()) == ([[0, 1], [2, 3]], [4, 5])


@pytest.mark.parametrize(("apart", "counts"), [(True, {"a": 2, "b": 1}), (False, {"a": 1, "b": 1})])
def test_leaves_are_whole_networks_or_single_weights(apart: bool, counts: dict[str, int]) -> None:
    leaves = Segments.of(SHAPES).leaves(tf.range(9), apart=apart)
    assert {name: len(group) for name, group in leaves.items()} == counts


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.lists(st.lists(st.integers(1, 3), max_size=3), min_size=1, max_size=3), min_size=1, max_size=3),
    st.booleans(),
)
def test_a_flat_vector_survives_being_cut_up(shapes: list[list[list[int]]], apart: bool) -> None:
    segments = Segments.of({f"n{i}": tuple(tuple(shape) for shape in group) for i, group in enumerate(shapes)})
    flat = np.arange(segments.size, dtype=np.float32)
    leaves = segments.leaves(tf.constant(flat), apart=apart)
    assert np.array_equal(Segments.flat(leaves.values()), flat)
    for name, segment in segments.by_name.items():
        assert [tuple(weight.shape) for weight in segment.weights(leaves[name])] == list(segment.shapes)
