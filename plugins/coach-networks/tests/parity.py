"""One layer as an acting program, held against Keras with random weights."""

from __future__ import annotations

from math import prod
from typing import Any

import keras
import numpy as np

from coach_networks.program import write_program
from coachcore.acting import ActingNetwork


def filled(layer: Any, *inputs: np.ndarray, seed: int = 0) -> Any:
    """The layer, built by a call, with every weight drawn anew, wide kernels smaller; variances stay above zero."""
    layer(*inputs)
    rng = np.random.default_rng(seed)
    for weight in layer.weights:
        drawn = rng.standard_normal(weight.shape) * max(prod(weight.shape[:-1]), 6) ** -0.5
        weight.assign(np.abs(drawn) + 0.5 if "variance" in weight.path else drawn)
    return layer


def program_of(layer: Any, shape: tuple[int, ...]) -> dict[str, Any]:
    """The program from input ``x`` of `shape` to output ``y``; a recurrent layer is a middleware, others are heads."""
    before, after = keras.layers.Identity(), keras.layers.Identity()
    before(keras.Input(shape))
    middle, head = (layer, after) if hasattr(layer, "acting_recurrent") else (after, layer)
    written = write_program(layer.weights, [w.path for w in layer.weights], {"x": before}, middle, {"y": head})
    assert written is not None
    return written


def acting_of(layer: Any, shape: tuple[int, ...]) -> ActingNetwork:
    """The program of a built layer, with its weights."""
    acting = ActingNetwork(program_of(layer, shape))
    acting.load(np.concatenate([np.asarray(weight).ravel() for weight in layer.weights] or [np.zeros(0, np.float32)]))
    return acting


def acts_alike(layer: Any, x: np.ndarray) -> np.ndarray:
    """NumPy and Keras agree to 1e-5 on `x` ``[N, ...]`` with random weights; returns what they gave."""
    wanted = np.asarray(filled(layer, x)(x))
    np.testing.assert_allclose(acting_of(layer, x.shape[1:])({"x": x})["y"], wanted, rtol=1e-5, atol=1e-5)
    assert wanted.std() > 0
    return wanted


def drawn(*shape: int, seed: int = 0) -> np.ndarray:
    """Standard normal float32 numbers."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def out(layer: Any, x: Any) -> np.ndarray:
    """What a layer makes of float32 numbers."""
    return np.asarray(layer(np.asarray(x, np.float32)))


def set_weights(layer: Any, values: dict[str, Any]) -> None:
    """Every weight whose path ends so gets this value; all others are zero."""
    for weight in layer.weights:
        given = next((value for name, value in values.items() if f"/{weight.path}".endswith("/" + name)), None)
        weight.assign(np.zeros(weight.shape) if given is None else given)
