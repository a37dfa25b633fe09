"""Middlewares: widths, the LSTM by hand and step by step, and that NumPy acts as Keras does."""

from __future__ import annotations

from math import exp, tanh
from typing import Any

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parity import acting_of, acts_alike, drawn, filled, out, program_of, set_weights

from coach_networks.flow import Flow, flowing
from coach_networks.layers.parts import Dense as DenseLayer
from coach_networks.layers.parts import NoisyDense
from coach_networks.middlewares.dense import Dense
from coach_networks.middlewares.lstm import Lstm
from coachcore.api import BadSetting, spec_of


@pytest.mark.parametrize(
    ("scheme", "features"),
    [("empty", 10), ("shallow", 64), ("medium", 512), ("deep", 128), ((7, 5), 5), ((DenseLayer(units=6),), 6)],
)
def test_widths(scheme: Any, features: int) -> None:
    assert out(Dense(scheme=scheme).build(0), np.ones((3, 10))).shape == (3, features)
    layer = Lstm(scheme=scheme, units=4).build(0)
    layer(drawn(3, 10), drawn(3, 8), np.zeros(3, np.float32))
    assert tuple(layer.kernel.shape) == (features, 16)


def test_numpy_acts_as_keras_does() -> None:
    acts_alike(Dense(scheme=(8, NoisyDense(units=3)), activation="elu", initializer="he-uniform").build(1), drawn(4, 5))


def lstm(units: int = 3, scheme: Any = ()) -> Any:
    """A layer with random weights that takes 5 features."""
    x, first = np.zeros((1, 5), np.float32), np.zeros(1, np.float32)
    return filled(Lstm(units=units, scheme=scheme).build(1), x, np.zeros((1, 2 * units), np.float32), first)


def stepped(layer: Any, x: np.ndarray, carry: np.ndarray, first: np.ndarray, steps: int = 1) -> tuple[Any, Any]:
    with flowing(Flow(sequence=steps)):
        features, after = layer(x, carry, first)
    return np.asarray(features), np.asarray(after)


@pytest.mark.parametrize("scheme", [(), (6, 4), (NoisyDense(units=4),)])
def test_numpy_remembers_as_keras_does(scheme: Any) -> None:
    layer, zero = lstm(scheme=scheme), np.zeros(4, np.float32)
    acting, carry = acting_of(layer, (5,)), np.zeros((4, 6), np.float32)
    given = carry
    for step in range(5):
        x = drawn(4, 5, seed=step)
        features, carry = stepped(layer, x, carry, zero)
        outputs = acting({"x": x, "carry": given})
        np.testing.assert_allclose(outputs["y"], features, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(outputs["carry"], carry, rtol=1e-5, atol=1e-5)
        given = np.array(outputs["carry"])
    assert carry.std() > 0.01


def test_the_program_takes_and_gives_the_carry() -> None:
    program = program_of(lstm(units=3), (5,))
    assert program["inputs"] == {"x": [5], "carry": [6]}
    assert set(program["outputs"]) == {"y", "carry"}


def test_one_step_by_hand() -> None:
    def sigmoid(z: float) -> float:
        return 1 / (1 + exp(-z))

    layer = Lstm(units=1, scheme="empty").build(0)
    layer(np.ones((1, 1), np.float32), np.ones((1, 2), np.float32), np.zeros(1, np.float32))
    weights = {"kernel": [[1.0, 2.0, 3.0, 4.0]], "recurrent": [[0.1, 0.2, 0.3, 0.4]], "bias": [0.5, 0.0, -0.5, 1.0]}
    set_weights(layer, weights)
    # x = 0.5, h = 2, c = -1: gates i, f, g, o before their functions are 1.2, 1.4, 1.6, 3.8
    features, carry = stepped(layer, np.full((1, 1), 0.5), np.array([[2.0, -1.0]]), np.zeros(1))
    c = sigmoid(1.4) * -1.0 + sigmoid(1.2) * tanh(1.6)
    h = sigmoid(3.8) * tanh(c)
    assert carry[0] == pytest.approx([h, c], rel=1e-5)
    assert features[0] == pytest.approx([h], rel=1e-5)
    # where an episode begins, the state is zero before: gates 1, 1, 1, 3
    _, carry = stepped(layer, np.full((1, 1), 0.5), np.array([[2.0, -1.0]]), np.ones(1))
    assert carry[0, 1] == pytest.approx(sigmoid(1.0) * tanh(1.0), rel=1e-5)


LAYER = lstm()


@settings(deadline=None, max_examples=min(30, settings().max_examples))
@given(st.integers(1, 3), st.integers(1, 6), st.integers(0, 999))
def test_sequences_equal_their_slow_twin(sequences: int, steps: int, seed: int) -> None:
    rows = sequences * steps
    x, carry = drawn(rows, 5, seed=seed), drawn(rows, 6, seed=seed + 1)
    first = (np.random.default_rng(seed).random(rows) < 0.3).astype(np.float32)
    features, after = stepped(LAYER, x, carry, first, steps)
    for s in range(sequences):
        state = carry[s * steps]
        for row in range(s * steps, (s + 1) * steps):
            one, state = (a[0] for a in stepped(LAYER, x[row : row + 1], state[None], first[row : row + 1]))
            np.testing.assert_allclose(features[row], one, rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(after[row], state, rtol=1e-4, atol=1e-5)


def test_only_the_first_carry_of_a_sequence_is_read() -> None:
    x, carry, first = drawn(6, 5), drawn(6, 6, seed=1), np.zeros(6, np.float32)
    other = carry.copy()
    other[[1, 2, 4, 5]] = np.nan
    features, after = stepped(LAYER, x, carry, first, 3)
    again, _ = stepped(LAYER, x, other, first, 3)
    assert np.array_equal(features, again)
    assert np.array_equal(features, after[:, :3])


def test_an_episode_that_begins_forgets_all_before() -> None:
    x, first = drawn(4, 5), np.array([0, 0, 1, 0], np.float32)
    one, _ = stepped(LAYER, x, drawn(4, 6, seed=1), first, 4)
    two, _ = stepped(LAYER, np.concatenate([-x[:2], x[2:]]), drawn(4, 6, seed=2), first, 4)
    assert np.array_equal(one[2:], two[2:])
    assert not np.allclose(one[:2], two[:2])


def test_first_weights() -> None:
    layer = Lstm(units=8, scheme="empty").build(0)
    layer(drawn(1, 5), drawn(1, 16), np.zeros(1, np.float32))
    assert np.asarray(layer.bias).tolist() == [0.0] * 8 + [1.0] * 8 + [0.0] * 16
    recurrent, kernel = np.asarray(layer.recurrent), np.asarray(layer.kernel)
    np.testing.assert_allclose(recurrent @ recurrent.T, np.eye(8), atol=1e-5)
    assert 0.9 * (6 / 37) ** 0.5 < np.abs(kernel).max() <= (6 / 37) ** 0.5


def test_weights_follow_from_the_seed_alone() -> None:
    def recurrent(seed: int) -> np.ndarray:
        layer = Lstm(units=4, scheme=(6,)).build(seed)
        layer(drawn(1, 5), drawn(1, 8), np.zeros(1, np.float32))
        return np.concatenate([np.asarray(weight).ravel() for weight in layer.weights])

    assert np.array_equal(recurrent(1), recurrent(1))
    assert not np.array_equal(recurrent(1), recurrent(2))


def test_what_others_must_know_of_a_recurrent_middleware() -> None:
    assert spec_of(Lstm).facts["recurrent"] is True
    assert "recurrent" not in spec_of(Dense).facts
    assert Lstm(units=7).carry == 14
    with pytest.raises(BadSetting, match="units"):
        Lstm(units=0)


def test_a_compiled_lstm_gives_the_same_and_its_gradient_is_a_slope() -> None:
    if keras.config.backend() != "tensorflow":
        pytest.skip("it is compiled in TensorFlow here; coach-networks' test_update takes gradients on any backend")
    tensorflow = pytest.importorskip("tensorflow")
    x, carry, first = drawn(8, 5), drawn(8, 6, seed=1), np.array([0, 0, 1, 0, 0, 0, 0, 1], np.float32)

    def value(x: Any) -> Any:
        with flowing(Flow(sequence=4)):
            features, _ = LAYER(x, carry, first)
        return tensorflow.reduce_sum(features * features)

    @tensorflow.function  # a loop over time runs without XLA: executor `twin`
    def both(x: Any) -> Any:
        with tensorflow.GradientTape() as tape:
            tape.watch(x)
            lost = value(x)
        return lost, tape.gradient(lost, x)

    lost, gradient = (np.asarray(part) for part in both(tensorflow.constant(x)))
    assert lost == pytest.approx(float(value(x)), rel=1e-5)
    for row, column in ((0, 0), (3, 2), (6, 4)):
        step = np.zeros_like(x)
        step[row, column] = 1e-2
        slope = (float(value(x + step)) - float(value(x - step))) / 2e-2
        assert gradient[row, column] == pytest.approx(slope, rel=2e-2, abs=1e-3)
