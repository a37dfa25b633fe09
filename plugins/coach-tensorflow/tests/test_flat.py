"""Where weights lie in the flat vector, by hand, and there and back again."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from coach_tensorflow.flat import Segments, Vector

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


COUNTS = [("apart", {"a": 4, "b": 1}), ("grouped", {"a": 3, "b": 1}), ("whole", {"a": 1, "b": 1})]


@pytest.mark.parametrize(("how", "counts"), COUNTS)
def test_leaves_are_whole_networks_single_weights_or_biases_together(how: str, counts: dict[str, int]) -> None:
    segments = Segments.of({"a": ((2,), (2, 2), (2, 1), ()), "b": ((3,),)})
    leaves = segments.leaves(segments.parts(tf.range(12)), how)
    assert {name: len(group) for name, group in leaves.items()} == counts
    if how == "grouped":
        assert leaves["a"][-1].numpy().tolist() == [0, 1, 8]


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.lists(st.lists(st.integers(1, 3), max_size=3), min_size=1, max_size=3), min_size=1, max_size=3),
    st.sampled_from(["apart", "grouped", "whole"]),
)
def test_a_flat_vector_survives_being_cut_up(shapes: list[list[list[int]]], how: str) -> None:
    segments = Segments.of({f"n{i}": tuple(tuple(shape) for shape in group) for i, group in enumerate(shapes)})
    flat = np.arange(segments.size, dtype=np.float32)
    leaves = segments.leaves(segments.parts(tf.constant(flat)), how)
    assert np.array_equal(np.concatenate(list(segments.joined(leaves).values())), flat)
    for name, segment in segments.by_name.items():
        assert [tuple(weight.shape) for weight in segment.weights(leaves[name])] == list(segment.shapes)


def test_a_vector_is_a_variable_a_network_and_one_array_outside() -> None:
    vector = Vector(Segments.of(SHAPES), np.arange(9, dtype=np.float32))
    assert {name: variable.numpy().tolist() for name, variable in vector.variables.items()} == {
        "a": [0, 1, 2, 3, 4, 5],
        "b": [6, 7, 8],
    }
    taken = vector.take({"a": (tf.fill([2, 2], 7.0), tf.fill([2], 5.0)), "b": (tf.zeros([3]),)})
    assert taken["a"].numpy().tolist() == [7, 7, 7, 7, 5, 5]
    assert (vector.size, vector.numpy().tolist()) == (9, [7, 7, 7, 7, 5, 5, 0, 0, 0])
    vector.assign(np.ones(9, np.float32))
    assert vector.numpy().tolist() == [1] * 9
    assert Vector(Segments.of({}), np.zeros(0, np.float32)).numpy().shape == (0,)
