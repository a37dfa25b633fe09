"""Heads of an ensemble: NumPy acts as Keras does, each begins apart, and the torso hears 1 / H of each."""

from __future__ import annotations

import keras
import numpy as np
import pytest
from parity import acting_of, acts_alike, drawn, filled, out

from coach_networks.heads.ensemble_q import EnsembleQ
from coachcore.api import BadSetting, Box, Discrete, Mismatch
from coachcore.testing.network import check_head

THREE = Discrete(3)
CASES = [
    EnsembleQ(heads=4),
    EnsembleQ(heads=1),
    EnsembleQ(heads=4, hidden=(6, 5)),
    EnsembleQ(heads=2, hidden=(6,), activation="tanh"),
]


@pytest.mark.parametrize("head", CASES)
@pytest.mark.parametrize("count", [1, 6])
def test_numpy_acts_as_keras_does(head: EnsembleQ, count: int) -> None:
    assert acts_alike(head.build(THREE, 1), drawn(count, 5)).shape == (count, head.heads, 3)


@pytest.mark.parametrize("head", CASES)
def test_it_keeps_the_laws_of_heads(head: EnsembleQ) -> None:
    check_head(head, THREE)


@pytest.mark.parametrize("hidden", [(), (7,)])
def test_heads_begin_apart_and_stay_apart(hidden: tuple[int, ...]) -> None:
    """Each head has weights of its own: none but its own values move with them."""
    layer = EnsembleQ(heads=3, hidden=hidden).build(THREE, 1)
    values = out(layer, drawn(4, 5))
    assert len({values[:, head].tobytes() for head in range(3)}) == 3
    if hidden:
        moved = [weight for weight in layer.weights if "last_1" in weight.path or "hidden_1" in weight.path]
        assert len(moved) == 4
        for weight in moved:
            weight.assign(weight + 1.0)
    else:
        weight = layer.weights[0]
        weight.assign(weight + np.repeat([0.0, 1.0, 0.0], 3).astype(np.float32))
    after = out(layer, drawn(4, 5))
    assert np.array_equal(after[:, [0, 2]], values[:, [0, 2]])
    assert (after[:, 1] != values[:, 1]).all()


@pytest.mark.parametrize("hidden", [(), (7,)])
def test_the_torso_learns_as_from_one_head(hidden: tuple[int, ...]) -> None:
    """The gradient of the sum of H equal heads is that of one of them; a head's own weights get all of theirs."""
    layer, x = EnsembleQ(heads=4, hidden=hidden).build(Discrete(1), 1), drawn(2, 5)
    filled(layer, x)
    bare = keras.Sequential(layer.layers[1:])  # without the factor
    flow = _gradient(layer, x), _gradient(bare, x)
    np.testing.assert_allclose(flow[0], flow[1] / 4, rtol=1e-5, atol=1e-7)


def _gradient(layer: keras.Layer, x: np.ndarray) -> np.ndarray:
    """The gradient of the sum of what comes out, by what goes in: ``[B, F]``."""
    if keras.backend.backend() == "jax":
        from jax import grad

        return np.asarray(grad(lambda given: layer(given).sum())(x))
    from tensorflow import GradientTape, convert_to_tensor, reduce_sum

    given = convert_to_tensor(x)
    with GradientTape() as tape:
        tape.watch(given)
        total = reduce_sum(layer(given))
    return np.asarray(tape.gradient(total, given))


def test_one_row_acts_as_many_do() -> None:
    x, layer = drawn(3, 5), EnsembleQ(heads=3, hidden=(4,)).build(THREE, 1)
    acting = acting_of(filled(layer, x), (5,))
    many = np.array(acting({"x": x})["y"])
    np.testing.assert_allclose(acting({"x": x[1:2]})["y"][0], many[1], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"heads": 0}, "heads: 0 is out of range - must be >= 1"),
        ({"hidden": (64, 0)}, "hidden: 0 is out of range - must be >= 1"),
        (
            {"activation": "swish"},
            "activation: 'swish' is not a choice here - known: elu, leaky_relu, none, relu, selu, sigmoid, tanh",
        ),
    ],
)
def test_bad_settings_are_refused(given: dict, said: str) -> None:
    with pytest.raises(BadSetting) as caught:
        EnsembleQ(**given)
    assert str(caught.value) == said


def test_a_box_is_refused() -> None:
    with pytest.raises(Mismatch, match=r"head 'ensemble-q' values discrete actions, the action space is a box"):
        EnsembleQ().build(Box((2,)), 1)
