"""Normalization over a batch, or within each row; float32 whatever the arithmetic of the network."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from coach_networks import flow

Shape = tuple[int | None, ...]


class BatchNorm(keras.layers.Layer):
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta for each index of the last axis, any shape.

    In training the batch's own mean and (biased) variance count, and `mean` and `variance`
    move with them, old * momentum + new * (1 - momentum): a stateless call of the network
    hands them back and changes nothing. Otherwise the moved ones count.
    Ioffe & Szegedy, 2015, arXiv:1502.03167, algorithms 1 and 2.
    """

    def __init__(self, momentum: float, epsilon: float, **names: Any) -> None:
        super().__init__(**names)
        self.momentum, self.epsilon = momentum, epsilon

    def build(self, shape: Shape) -> None:
        self.gamma, self.beta = _along(self, shape, "gamma", "ones"), _along(self, shape, "beta", "zeros")
        self.mean = _along(self, shape, "mean", "zeros", trainable=False)
        self.variance = _along(self, shape, "variance", "ones", trainable=False)

    def call(self, x: Any) -> Any:
        given = ops.cast(x, "float32")
        mean, variance = self.mean, self.variance
        if flow.current().training:
            mean, variance = ops.moments(given, axes=list(range(len(x.shape) - 1)))
            for moving, new in ((self.mean, mean), (self.variance, variance)):
                moving.assign(moving * self.momentum + ops.stop_gradient(new) * (1.0 - self.momentum))
        y = (given - mean) * ops.rsqrt(variance + self.epsilon) * self.gamma + self.beta
        return ops.cast(y, self.compute_dtype)

    def compute_output_shape(self, shape: Shape) -> Shape:
        return shape

    def acting(self, tape: Any, x: str) -> str:
        weights = {name: tape.place(getattr(self, name)) for name in ("gamma", "beta", "mean", "variance")}
        return tape.emit("normalize", [x], **weights, epsilon=self.epsilon)


class LayerNorm(keras.layers.Layer):
    """Each row of the last axis brought to mean 0 and variance 1, times gamma, plus beta; any shape.

    Ba, Kiros & Hinton, 2016, arXiv:1607.06450, eq. 4.
    """

    def __init__(self, epsilon: float, **names: Any) -> None:
        super().__init__(**names)
        self.epsilon = epsilon

    def build(self, shape: Shape) -> None:
        self.gamma, self.beta = _along(self, shape, "gamma", "ones"), _along(self, shape, "beta", "zeros")

    def call(self, x: Any) -> Any:
        given = ops.cast(x, "float32")
        mean, variance = ops.moments(given, axes=[-1], keepdims=True)
        y = (given - mean) * ops.rsqrt(variance + self.epsilon) * self.gamma + self.beta
        return ops.cast(y, self.compute_dtype)

    def compute_output_shape(self, shape: Shape) -> Shape:
        return shape

    def acting(self, tape: Any, x: str) -> str:
        weights = {name: tape.place(getattr(self, name)) for name in ("gamma", "beta")}
        return tape.emit("layer-norm", [x], **weights, epsilon=self.epsilon)


def _along(layer: Any, shape: Shape, name: str, first: str, *, trainable: bool = True) -> Any:
    """A weight for each index of the last axis."""
    return layer.add_weight(
        shape=(shape[-1],), initializer=first, name=name, trainable=trainable, dtype="float32", autocast=False
    )
