"""Means and logarithms of deviations."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from coach_networks.stacks import dense

Shape = tuple[int | None, ...]


class Gaussian(keras.layers.Layer):
    """``[B, F] -> [B, 2, A]``: means, and logarithms of deviations within `limits`.

    These are a weight of their own where they are `free`, else the second half of what
    one dense layer gives; they begin at `first`.
    """

    def __init__(
        self,
        actions: int,
        seed: int,
        *,
        free: bool,
        first: float = 0.0,
        gain: float | None = None,
        limits: tuple[float, float] | None = None,
    ) -> None:
        super().__init__()
        self.actions, self.free, self.first, self.limits = actions, free, first, limits
        self.dense = dense(actions * (1 if free else 2), seed, name="means" if free else "both", gain=gain)

    def build(self, shape: Shape) -> None:
        if self.free:
            start = keras.initializers.Constant(self.first)
            self.log_deviation = self.add_weight(shape=(self.actions,), initializer=start, name="log_deviation")
        elif self.first:
            self.dense.bias_initializer = lambda _shape, dtype=None: ops.concatenate(
                [ops.zeros((self.actions,), dtype), ops.full((self.actions,), self.first, dtype)]
            )
        self.dense.build(shape)

    def call(self, x: Any) -> Any:
        y = self.dense(x)
        means = y[:, : self.actions]
        logs = ops.zeros_like(means) + self.log_deviation if self.free else y[:, self.actions :]
        return ops.stack([means, logs if self.limits is None else ops.clip(logs, *self.limits)], axis=1)

    def compute_output_shape(self, shape: Shape) -> Shape:
        return (shape[0], 2, self.actions)

    def acting(self, tape: Any, x: str) -> str:
        means = y = tape.layer(self.dense, x)
        if self.free:
            logs = tape.emit("constant", [x], kernel=tape.place(self.log_deviation))
        else:
            means = tape.emit("slice", [y], start=0, stop=self.actions)
            logs = tape.emit("slice", [y], start=self.actions, stop=2 * self.actions)
        if self.limits is not None:
            logs = tape.emit("clip", [logs], low=self.limits[0], high=self.limits[1])
        return tape.emit("stack", [means, logs])
