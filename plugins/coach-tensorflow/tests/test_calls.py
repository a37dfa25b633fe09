"""Slots share memory with their tensors, and both ways of calling give the same."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from coach_tensorflow.calls import ALIGNMENT, Slot, direct


@pytest.mark.parametrize(("shape", "dtype"), [((3, 5), "float32"), ((1,), "float32"), ((2, 3), "uint8")])
def test_a_slot_is_read_when_called_not_when_made(shape: tuple[int, ...], dtype: str) -> None:
    slot = Slot(shape, dtype)
    assert slot.array.ctypes.data % ALIGNMENT == 0
    assert (tuple(slot.tensor.shape), slot.tensor.dtype.name) == (shape, dtype)
    for value in (7, 8):
        slot.array[...] = value
        assert np.asarray(slot.tensor + 1).tolist() == np.full(shape, value + 1).tolist()


@pytest.mark.parametrize("compiled", [True, False])
def test_the_inner_path_and_the_public_one_give_equal_lists(compiled: bool) -> None:
    variable = tf.Variable([1.0, 2.0])
    function = tf.function(lambda x: (x * variable, tf.reduce_sum(x)), jit_compile=compiled, autograph=False)
    concrete = function.get_concrete_function(tf.TensorSpec((2,), "float32"))
    x = tf.constant([3.0, 5.0])
    answers = [[np.asarray(part).tolist() for part in direct(concrete, fast=fast)(x)] for fast in (True, False)]
    assert answers == [[[3.0, 10.0], 8.0]] * 2


def test_without_an_inner_path_the_public_one_is_taken() -> None:
    class Public:
        _inference_function = SimpleNamespace()
        captured_inputs: tuple[Any, ...] = ()

        def __call__(self, x: Any) -> Any:
            return (x + 1, x + 2)

    assert [int(part) for part in direct(Public())(tf.constant(1))] == [2, 3]
