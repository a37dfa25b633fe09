"""The last layer of a head: dense, and mostly to a few numbers only."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from coach_networks import flow

NARROW = 4
"""Outputs up to which gradients are added up instead of multiplied out."""


class Last(keras.layers.Layer):
    """``[B, F] -> [B, Q]``: act(x W + b), as `keras.layers.Dense`, with gradients that suit a small Q.

    A compiled program turns the widest factor of a product by hand before it multiplies: to two
    actions' values that takes as long as the layer before. Sums over each column are the same numbers,
    up to rounding, and cost a tenth.
    """

    def __init__(self, units: int, activation: str | None = None, **given: Any) -> None:
        kernel, bias = given.pop("kernel_initializer"), given.pop("bias_initializer", "zeros")
        super().__init__(**given)
        self.units, self.use_bias = units, True
        self.activation = keras.activations.get(activation)
        self.kernel_initializer, self.bias_initializer = keras.initializers.get(kernel), keras.initializers.get(bias)

    def build(self, shape: tuple[int | None, ...]) -> None:
        size = (int(shape[-1] or 0), self.units)
        self.kernel = self.add_weight(shape=size, initializer=self.kernel_initializer, name="kernel")
        self.bias = self.add_weight(shape=size[1:], initializer=self.bias_initializer, name="bias")

    def call(self, x: Any) -> Any:
        kernel = ops.convert_to_tensor(self.kernel)
        few = self.units <= NARROW and len(x.shape) == 2 and self.compute_dtype == "float32"
        product = narrow(x, kernel) if few and flow.current().compiled else ops.matmul(x, kernel)
        return self.activation(product + self.bias)

    def compute_output_shape(self, shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return (*shape[:-1], self.units)

    def acting(self, tape: Any, x: str) -> str:
        kernel, bias = tape.place(self.kernel), tape.place(self.bias)
        return str(tape.emit("dense", [x], kernel=kernel, bias=bias, activation=tape.activation(self)))


def narrow(x: Any, kernel: Any) -> Any:
    """``[B, F]`` times ``[F, Q]`` for a small Q: the gradients are sums over its columns."""

    @ops.custom_gradient  # type: ignore[untyped-decorator]
    def product(x: Any, kernel: Any) -> Any:
        def slopes(*upstream: Any) -> tuple[Any, Any]:
            columns = [upstream[-1][:, q : q + 1] for q in range(kernel.shape[1])]  # each [B, 1]
            to_x = sum(column * kernel[:, q] for q, column in enumerate(columns))
            return to_x, ops.stack([ops.sum(x * column, axis=0) for column in columns], axis=1)

        return ops.matmul(x, kernel), slopes

    return product(x, kernel)
