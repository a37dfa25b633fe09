"""Gradients of narrow layers: by hand, and those of the plain product."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import pytest
from keras import ops
from parity import drawn, out

from coach_networks.flow import Flow, flowing
from coach_networks.layers.last import NARROW, narrow
from coach_networks.stacks import dense


def slopes(loss: Any, *given: Any) -> list[np.ndarray]:
    """Gradients of `loss(*given)` by each of `given`, by whichever backend runs."""
    if keras.backend.backend() == "jax":
        import jax

        return [np.asarray(part) for part in jax.grad(loss, tuple(range(len(given))))(*given)]
    import tensorflow as tf

    tensors = [tf.constant(part) for part in given]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        value = loss(*tensors)
    return [part.numpy() for part in tape.gradient(value, tensors)]


def test_by_hand() -> None:
    x, kernel = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32), np.array([[5.0, 6.0], [7.0, 8.0]], np.float32)
    up = np.array([[1.0, 0.0], [0.0, 10.0]], np.float32)
    to_x, to_kernel = slopes(lambda x, kernel: ops.sum(up * narrow(x, kernel)), x, kernel)
    assert to_x.tolist() == [[5.0, 7.0], [60.0, 80.0]]
    assert to_kernel.tolist() == [[1.0, 30.0], [2.0, 40.0]]
    assert np.asarray(narrow(x, kernel)).tolist() == [[19.0, 22.0], [43.0, 50.0]]


@pytest.mark.parametrize("units", range(1, NARROW + 1))
def test_as_the_plain_product(units: int) -> None:
    x, kernel = drawn(7, 5), drawn(5, units)
    ours = slopes(lambda x, kernel: ops.sum(ops.sin(narrow(x, kernel))), x, kernel)
    plain = slopes(lambda x, kernel: ops.sum(ops.sin(ops.matmul(x, kernel))), x, kernel)
    for one, other in zip(ours, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("units", [1, NARROW, NARROW + 1])
def test_a_layer_says_the_same_however_it_is_compiled(units: int) -> None:
    layer = dense(units, 0, "tanh", "last")
    x = drawn(3, 6)
    alone = out(layer, x)
    weights = [ops.convert_to_tensor(np.asarray(weight)) for weight in layer.weights]  # as an update hands them in
    with flowing(Flow(compiled=True)):
        outputs, _ = layer.stateless_call(weights, [], x)
    np.testing.assert_allclose(np.asarray(outputs), alone, rtol=1e-6)
    assert [tuple(weight.shape) for weight in layer.weights] == [(6, units), (units,)]
    assert layer.compute_output_shape((None, 6)) == (None, units)
