"""Operations with weights: dense and noisy dense layers, an LSTM cell, normalization."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coachcore.acting.activations import ACTIVATIONS, relu, sigmoid
from coachcore.acting.operation import Facts, Operation, Shape, Step, number, refusal, weight, whole
from coachcore.types import Array


def _dense_shape(facts: Facts, shapes: Sequence[Shape], weights: Sequence[Shape]) -> Shape:
    kernel = weight(facts, "kernel", weights)
    if not shapes[0] or len(kernel) != 2 or kernel[0] != shapes[0][-1]:
        raise refusal(facts, f"cannot multiply {shapes[0]} by a kernel {kernel}")
    if facts.get("bias") is not None:
        weight(facts, "bias", weights, kernel[1:])
    return (*shapes[0][:-1], kernel[1])


def _noisy_shape(facts: Facts, shapes: Sequence[Shape], weights: Sequence[Shape]) -> Shape:
    shape = _dense_shape(facts, shapes, weights)
    weight(facts, "kernel_sigma", weights, (shapes[0][-1], shape[-1]))
    for name in ("bias", "bias_sigma"):
        weight(facts, name, weights, shape[-1:])
    whole(facts, "noise")
    return shape


def _lstm_shape(facts: Facts, shapes: Sequence[Shape], weights: Sequence[Shape]) -> Shape:
    (features,), carry = shapes
    units = weight(facts, "recurrent", weights)[0]
    if carry != (2 * units,):
        raise refusal(facts, f"needs a carry {(2 * units,)}, got {carry}")
    for name, wanted in (("kernel", (features, 4 * units)), ("recurrent", (units, 4 * units)), ("bias", (4 * units,))):
        weight(facts, name, weights, wanted)
    return carry


def _normal_shape(facts: Facts, shapes: Sequence[Shape], weights: Sequence[Shape]) -> Shape:
    for name in ("gamma", "beta") if facts["op"] == "layer-norm" else ("gamma", "beta", "mean", "variance"):
        weight(facts, name, weights, (shapes[0][-1],))
    if number(facts, "epsilon") < np.finfo(np.float32).tiny:
        raise refusal(facts, f"needs an epsilon above 0, got {facts['epsilon']}")
    return shapes[0]


def _dense(facts: Facts, ins: list[Array], out: Array, weights: list[Array]) -> Step:
    """For one row, `ndarray.dot` and operands of equal shape cost half of `matmul` and broadcasting."""
    kernel: int = facts["kernel"]
    bias: Any = facts.get("bias")
    dot, add, maximum = ins[0].dot, np.add, np.maximum
    activate, zeros = ACTIVATIONS[facts.get("activation", "linear")], np.zeros_like(out)

    def rectified() -> None:  # by far the most frequent layer: no call inside
        dot(weights[kernel], out)
        add(out, weights[bias], out)
        maximum(out, zeros, out=out)

    def step() -> None:
        dot(weights[kernel], out)
        if bias is not None:
            add(out, weights[bias], out)
        if activate is not None:
            activate(out)

    return rectified if activate is relu and bias is not None else step


def _noisy_dense(facts: Facts, ins: list[Array], out: Array, weights: list[Array], noise: Array) -> Step:
    """The outer product e_in e_out^T is never built: x (S * e_in e_out^T) = ((x * e_in) S) * e_out."""
    x, start = ins[0], facts["noise"]
    middle, stop = start + x.shape[-1], start + x.shape[-1] + out.shape[-1]
    entering, leaving = noise[start:middle].reshape(1, -1), noise[middle:stop].reshape(1, -1)
    shaken, drawn = np.zeros_like(x), np.zeros_like(out)
    activate = ACTIVATIONS[facts.get("activation", "linear")]

    def step() -> None:
        np.multiply(x, entering, shaken)
        shaken.dot(weights[facts["kernel_sigma"]], drawn)
        np.add(drawn, weights[facts["bias_sigma"]], drawn)
        np.multiply(drawn, leaving, drawn)
        x.dot(weights[facts["kernel"]], out)
        np.add(out, weights[facts["bias"]], out)
        np.add(out, drawn, out)
        if activate is not None:
            activate(out)

    return step


def _lstm(facts: Facts, ins: list[Array], out: Array, weights: list[Array]) -> Step:
    x, carry = ins
    units = out.shape[-1] // 2
    before, cell = np.split(carry, 2, axis=-1)  # views
    hidden, new_cell = np.split(out, 2, axis=-1)
    gates, again = np.zeros((len(x), 4 * units), np.float32), np.zeros((len(x), 4 * units), np.float32)
    entering, forgetting, candidate, leaving = np.split(gates, 4, axis=-1)
    fresh = np.zeros_like(candidate)

    def step() -> None:
        x.dot(weights[facts["kernel"]], gates)
        before.dot(weights[facts["recurrent"]], again)
        np.add(gates, again, gates)
        np.add(gates, weights[facts["bias"]], gates)
        np.tanh(candidate, fresh)
        sigmoid(gates)  # the candidate too: one call costs less than three
        np.multiply(entering, fresh, fresh)
        np.multiply(forgetting, cell, new_cell)
        np.add(new_cell, fresh, new_cell)
        np.tanh(new_cell, hidden)
        np.multiply(hidden, leaving, hidden)

    return step


def _normalize(facts: Facts, ins: list[Array], out: Array, weights: list[Array]) -> Step:
    epsilon = np.float32(facts["epsilon"])

    def step() -> None:
        gamma, beta, mean, variance = (weights[facts[name]] for name in ("gamma", "beta", "mean", "variance"))
        np.subtract(ins[0], mean, out)
        np.multiply(out, gamma / np.sqrt(variance + epsilon), out)
        np.add(out, beta, out)

    return step


def _layer_norm(facts: Facts, ins: list[Array], out: Array, weights: list[Array]) -> Step:
    x, epsilon = ins[0], np.float32(facts["epsilon"])
    average = np.full((x.shape[-1], 1), 1.0 / x.shape[-1], np.float32)  # a product with it costs a third of np.mean
    squares, spread = np.zeros_like(out), np.zeros((*x.shape[:-1], 1), np.float32)

    def step() -> None:
        x.dot(average, spread)
        np.subtract(x, spread, out)
        np.multiply(out, out, squares)
        squares.dot(average, spread)
        np.add(spread, epsilon, spread)
        np.sqrt(spread, spread)
        np.divide(out, spread, out)
        np.multiply(out, weights[facts["gamma"]], out)
        np.add(out, weights[facts["beta"]], out)

    return step


LAYERS: dict[str, Operation] = {
    "dense": Operation(_dense_shape, _dense),  # activation(x @ kernel + bias), along the last axis; bias may be null
    # as dense, plus ((x * e_in) @ kernel_sigma + bias_sigma) * e_out within the activation, where a call draws
    # noise: e_in, e_out = sign(z) sqrt|z| of the noise from position `noise` on
    "noisy-dense": Operation(_noisy_shape, _dense, _noisy_dense),
    # inputs [x [F], carry [h|c]] -> the new carry [2U]; kernel [F, 4U], recurrent [U, 4U], bias [4U] hold the gates
    # i, f, g, o; c' = sigmoid(f) c + sigmoid(i) tanh(g), h' = sigmoid(o) tanh(c')
    "lstm": Operation(_lstm_shape, _lstm),
    "normalize": Operation(_normal_shape, _normalize),  # (x - mean) / sqrt(variance + epsilon) * gamma + beta
    "layer-norm": Operation(_normal_shape, _layer_norm),  # the same, with mean and variance of each row's last axis
}
