"""Layers of schemes: by hand, shapes, training and noise, refusals, and that NumPy acts as Keras does."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parity import acting_of, acts_alike, drawn, filled, out, program_of, set_weights

from coach_networks.flow import Flow, Noise, flowing
from coach_networks.layers.noisy import signed_root
from coach_networks.layers.parts import (
    Activation,
    BatchNorm,
    Conv,
    Dense,
    Dropout,
    Flatten,
    LayerNorm,
    NoisyDense,
)
from coach_networks.program import Tape, UnknownLayer
from coach_networks.stacks import ACTIVATIONS, initializer_named
from coachcore.api import BadSetting, Mismatch

CASES: list[tuple[Any, tuple[int, ...], tuple[int, ...]]] = [
    (Dense(units=3), (5,), (3,)),
    (Dense(units=3, activation="none"), (2, 5), (2, 3)),
    (NoisyDense(units=3), (5,), (3,)),
    (NoisyDense(units=3, activation="tanh"), (2, 5), (2, 3)),
    (Conv(filters=4, size=3), (7, 6, 2), (5, 4, 4)),
    (Conv(filters=4, size=3, stride=2, activation="none"), (8, 7, 2), (3, 3, 4)),
    (Conv(filters=4, size=3, stride=2, padding="same"), (8, 7, 2), (4, 4, 4)),
    (Conv(filters=2, size=2, padding="same", activation="tanh"), (5, 4, 1), (5, 4, 2)),
    (Conv(filters=2, size=1), (1, 1, 3), (1, 1, 2)),
    (BatchNorm(), (5,), (5,)),
    (BatchNorm(epsilon=0.1), (3, 4, 2), (3, 4, 2)),
    (LayerNorm(), (5,), (5,)),
    (LayerNorm(epsilon=0.1), (3, 4, 2), (3, 4, 2)),
    (Dropout(rate=0.5), (5,), (5,)),
    (Activation(function="leaky_relu"), (3, 2), (3, 2)),
    (Activation(function="none"), (3, 2), (3, 2)),
    (Flatten(), (3, 2), (6,)),
    (Flatten(), (6,), (6,)),
]


@pytest.mark.parametrize(("part", "shape", "after"), CASES)
def test_numpy_acts_as_keras_does(part: Any, shape: tuple[int, ...], after: tuple[int, ...]) -> None:
    layer = part.build(shape, 1)
    assert acts_alike(layer, drawn(4, *shape)).shape == (4, *after)


@pytest.mark.parametrize(("part", "shape", "after"), CASES)
def test_shapes_are_told_without_a_call(part: Any, shape: tuple[int, ...], after: tuple[int, ...]) -> None:
    assert tuple(part.build(shape, 1).compute_output_shape((None, *shape))) == (None, *after)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("kind", [Dense, NoisyDense])
def test_every_activation_acts(kind: Any, activation: str) -> None:
    acts_alike(kind(units=4, activation=activation).build((5,), 1), drawn(6, 5))


@pytest.mark.parametrize("part", [Dense(units=4), NoisyDense(units=4), Conv(filters=4, size=2)])
def test_weights_follow_from_the_seed_alone(part: Any) -> None:
    shape = (3, 3, 2)

    def kernel(seed: int) -> np.ndarray:
        layer = part.build(shape, seed)
        layer(drawn(1, *shape))
        return np.asarray(layer.kernel)

    assert np.array_equal(kernel(1), kernel(1))
    assert not np.array_equal(kernel(1), kernel(2))


def test_a_dense_layer_by_hand() -> None:
    layer = Dense(units=2).build((2,), 0)
    layer(np.ones((1, 2), np.float32))
    set_weights(layer, {"kernel": [[1.0, -1.0], [2.0, 3.0]], "bias": [0.5, -4.0]})
    assert out(layer, [[1.0, 1.0]]).tolist() == [[3.5, 0.0]]


def test_a_convolution_by_hand() -> None:
    layer = Conv(filters=1, size=2, stride=2, activation="none").build((4, 4, 1), 0)
    layer(np.ones((1, 4, 4, 1), np.float32))
    set_weights(layer, {"kernel": np.array([[1.0, 0.0], [0.0, 10.0]]).reshape(2, 2, 1, 1), "bias": [100.0]})
    x = np.arange(16.0).reshape(1, 4, 4, 1)  # corners 0 and 5, 2 and 7, 8 and 13, 10 and 15
    assert out(layer, x)[0, :, :, 0].tolist() == [[150.0, 172.0], [238.0, 260.0]]


def test_signed_roots_by_hand() -> None:
    assert np.asarray(signed_root(np.array([4.0, -9.0, 0.0], np.float32))).tolist() == [2.0, -3.0, 0.0]


def test_a_noisy_layer_by_hand() -> None:
    layer = NoisyDense(units=2, activation="none").build((2,), 0)
    layer(np.ones((1, 2), np.float32))
    set_weights(
        layer,
        {
            "kernel": [[1.0, 2.0], [3.0, 4.0]],
            "bias": [0.5, 0.25],
            "kernel_sigma": [[1.0, 0.0], [0.5, 1.0]],
            "bias_sigma": [1.0, 2.0],
        },
    )
    # e_in = (4, -1) -> (2, -1); e_out = (9, -4) -> (3, -2)
    # W + S * e_in e_out^T = (1 + 6, 2), (3 - 1.5, 4 + 2); b + s * e_out = (3.5, -3.75)
    noise = Noise(np.array([4.0, -1.0, 9.0, -4.0], np.float32))
    with flowing(Flow(normal=noise)):
        assert out(layer, [[1.0, 2.0]]).tolist() == [[7.0 + 3.0 + 3.5, 2.0 + 12.0 - 3.75]]
    assert noise.used == 4
    assert out(layer, [[1.0, 2.0]]).tolist() == [[7.5, 10.25]]


def test_first_noisy_weights_are_those_of_the_paper() -> None:
    layer = NoisyDense(units=300, sigma0=0.4).build((100,), 0)
    layer(drawn(1, 100))
    kernel, bias = np.asarray(layer.kernel), np.asarray(layer.bias)
    assert np.asarray(layer.kernel_sigma) == pytest.approx(np.full((100, 300), 0.04))
    assert np.asarray(layer.bias_sigma) == pytest.approx(np.full(300, 0.04))
    for mean in (kernel, bias):
        assert 0.09 < np.abs(mean).max() <= 0.1
        assert mean.std() == pytest.approx(0.1 / np.sqrt(3), rel=0.1)


class Drawing:
    """Stands where noise is drawn; ActingNetwork asks it for standard normal numbers."""

    def __init__(self, numbers: np.ndarray) -> None:
        self.numbers = numbers

    def standard_normal(self, out: np.ndarray, dtype: Any) -> None:
        out[:] = self.numbers


def test_numpy_and_keras_agree_on_the_same_noise() -> None:
    first, second = NoisyDense(units=4).build((5,), 1), NoisyDense(units=3, activation="tanh").build((4,), 2)
    layer, x, noise = keras.Sequential([first, second]), drawn(6, 5), drawn(5 + 4 + 4 + 3, seed=9)
    filled(layer, x)
    program = program_of(layer, (5,))
    assert [(op["op"], op["noise"]) for op in program["ops"]] == [("noisy-dense", 0), ("noisy-dense", 9)]
    assert program["noise"] == 16
    with flowing(Flow(normal=Noise(noise))):
        wanted = out(layer, x)
    given: Any = acting_of(layer, (5,))({"x": x}, Drawing(noise))  # type: ignore[arg-type]
    np.testing.assert_allclose(given["y"], wanted, rtol=1e-5, atol=1e-5)
    assert np.abs(wanted - out(layer, x)).max() > 0.01


def test_a_program_without_noisy_layers_asks_for_no_noise() -> None:
    layer = Dense(units=2).build((3,), 0)
    layer(drawn(1, 3))
    assert "noise" not in program_of(layer, (3,))


@settings(deadline=None)
@given(st.floats(0.05, 0.95), st.integers(0, 99))
def test_dropout_drops_its_share_and_keeps_the_mean(rate: float, seed: int) -> None:
    layer, noise = Dropout(rate=rate).build((400,), 0), drawn(50, 400, seed=seed)
    with flowing(Flow(normal=noise.reshape, training=True)):
        kept = out(layer, np.ones((50, 400)))
    assert (kept == 0).mean() == pytest.approx(rate, abs=0.02)
    assert kept[kept != 0] == pytest.approx(1 / (1 - rate), rel=1e-5)


def test_dropout_by_hand() -> None:
    # half the numbers lie below the median 0; what is left doubles
    layer = Dropout(rate=0.5).build((4,), 0)
    with flowing(Flow(normal=lambda _: np.array([[-1.0, 0.1, 2.0, -0.1]], np.float32), training=True)):
        assert out(layer, [[1.0, 2.0, 3.0, 4.0]]).tolist() == [[0.0, 4.0, 6.0, 0.0]]


@pytest.mark.parametrize(
    "flow", [Flow(), Flow(training=True), Flow(normal=lambda shape: np.full(shape, -9.0, np.float32))]
)
def test_dropout_stands_still_without_noise_or_training(flow: Flow) -> None:
    with flowing(flow):
        assert out(Dropout(rate=0.9).build((3,), 0), [[1.0, 2.0, 3.0]]).tolist() == [[1.0, 2.0, 3.0]]


def test_a_dropout_of_nothing_draws_nothing() -> None:
    noise = Noise(None)
    with flowing(Flow(normal=noise, training=True)):
        assert out(Dropout(rate=0.0).build((3,), 0), [[1.0, 2.0, 3.0]]).tolist() == [[1.0, 2.0, 3.0]]
    assert noise.used == 0


def test_batch_norm_by_hand() -> None:
    layer = BatchNorm(momentum=0.75, epsilon=1e-9).build((2,), 0)
    x = np.array([[1.0, 10.0], [3.0, 10.0]], np.float32)
    assert out(layer, x) == pytest.approx(x)  # first statistics: mean 0, variance 1
    with flowing(Flow(training=True)):
        assert out(layer, x)[:, 0] == pytest.approx([-1.0, 1.0])
    assert np.asarray(layer.mean).tolist() == [0.5, 2.5]  # 0.25 * (2, 10)
    assert np.asarray(layer.variance).tolist() == [1.0, 0.75]  # 0.75 * 1 + 0.25 * (1, 0)
    assert out(layer, x)[:, 1] == pytest.approx((10 - 2.5) / np.sqrt(0.75))


def test_batch_norm_moves_nothing_in_a_stateless_call() -> None:
    layer, x = BatchNorm(momentum=0.5).build((2,), 0), drawn(8, 2)
    layer(x)
    before = [np.asarray(weight) for weight in layer.weights]
    with flowing(Flow(training=True)):
        gamma_beta = layer.trainable_variables
        _, moved = layer.stateless_call(gamma_beta, layer.non_trainable_variables, x)
    assert all(np.array_equal(a, b) for a, b in zip(before, layer.weights, strict=True))
    assert np.asarray(moved[0]) == pytest.approx(0.5 * x.mean(0), abs=1e-6)
    assert np.asarray(moved[1]) == pytest.approx(0.5 + 0.5 * x.var(0), abs=1e-5)


def test_batch_norm_looks_at_each_channel() -> None:
    layer, x = BatchNorm(epsilon=1e-9).build((4, 3, 2), 0), drawn(6, 4, 3, 2) * [3.0, 0.1] + [7.0, -2.0]
    with flowing(Flow(training=True)):
        y = out(layer, x)
    assert y.mean((0, 1, 2)) == pytest.approx([0, 0], abs=1e-4)
    assert y.std((0, 1, 2)) == pytest.approx([1, 1], abs=1e-3)


def test_statistics_are_not_trained() -> None:
    layer = BatchNorm().build((2,), 0)
    layer(drawn(1, 2))
    assert [weight.path.split("/")[-1] for weight in layer.non_trainable_variables] == ["mean", "variance"]
    assert [weight.path.split("/")[-1] for weight in layer.trainable_variables] == ["gamma", "beta"]


def test_layer_norm_by_hand() -> None:
    layer = LayerNorm(epsilon=1e-9).build((2,), 0)
    assert out(layer, [[1.0, 5.0], [-3.0, -3.5]]) == pytest.approx(np.array([[-1.0, 1.0], [1.0, -1.0]]), abs=1e-5)


def test_initializers_by_their_laws() -> None:
    def kernel(name: str) -> np.ndarray:
        layer = Dense(units=50, initializer=name).build((200,), 0)
        layer(drawn(1, 200))
        return np.asarray(layer.kernel)

    np.testing.assert_allclose(kernel("orthogonal").T @ kernel("orthogonal"), 2 * np.eye(50), atol=1e-4)
    for name, limit in (("glorot-uniform", (6 / 250) ** 0.5), ("he-uniform", (6 / 200) ** 0.5)):
        assert 0.98 * limit < np.abs(kernel(name)).max() <= limit
    with pytest.raises(BadSetting, match="no initializer 'zeros'; known: glorot-uniform"):
        initializer_named("zeros", 0)


@pytest.mark.parametrize(
    ("part", "shape", "words"),
    [
        (Conv(filters=4, size=3), (5,), r"takes \[height, width, channels\], got shape \[5\]"),
        (Conv(filters=4, size=3), (2, 9, 1), "2 x 9 is too small for a filter of 3 x 3"),
        (Dense(units=2), (), "layer 'dense' takes vectors or more, got single numbers"),
        (NoisyDense(units=2), (), "layer 'noisy-dense' takes vectors"),
        (BatchNorm(), (), "layer 'batch-norm' takes vectors"),
        (LayerNorm(), (), "layer 'layer-norm' takes vectors"),
    ],
)
def test_a_shape_that_does_not_fit_is_refused(part: Any, shape: tuple[int, ...], words: str) -> None:
    with pytest.raises(Mismatch, match=words):
        part.build(shape, 0)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (Dense, {"units": 0}),
        (Dense, {"units": 3, "activation": "swoosh"}),
        (Dense, {"units": 3, "initializer": "zeros"}),
        (NoisyDense, {"units": 3, "sigma0": -1.0}),
        (Conv, {"filters": 3, "size": 0}),
        (Conv, {"filters": 3, "size": 2, "stride": 0}),
        (Conv, {"filters": 3, "size": 2, "padding": "full"}),
        (BatchNorm, {"momentum": 1.0}),
        (BatchNorm, {"epsilon": 0.0}),
        (LayerNorm, {"epsilon": 0.0}),
        (Dropout, {"rate": 1.0}),
        (Activation, {"function": "swoosh"}),
    ],
)
def test_bad_settings_are_named(kind: Any, given: dict[str, Any]) -> None:
    with pytest.raises(BadSetting, match=list(given)[-1]):
        kind(**given)


@pytest.mark.parametrize(
    "layer",
    [
        keras.layers.Conv2D(2, 2, groups=2),
        keras.layers.Conv2D(2, 2, dilation_rate=2),
        keras.layers.Conv2D(2, 2, activation="softplus"),
        keras.layers.DepthwiseConv2D(2),
    ],
)
def test_a_convolution_that_numpy_does_not_know_has_no_program(layer: Any) -> None:
    layer(drawn(1, 5, 5, 2))
    with pytest.raises(UnknownLayer):
        Tape(layer.weights).layer(layer, "x")


def test_a_convolution_without_bias_acts() -> None:
    acts_alike(keras.layers.Conv2D(3, (2, 3), (1, 2), "same", use_bias=False), drawn(2, 6, 7, 2))
