"""Long short-term memory whose state is handed in and out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from coach_networks import flow
from coach_networks.layers.stack import Stack
from coach_networks.seeds import seed_for

Shape = tuple[int | None, ...]


class Memory(keras.layers.Layer):
    """(features ``[B, F]``, carry ``[B, 2 U]``, first ``[B]``) -> (``[B, U]``, carry ``[B, 2 U]`` after each row).

    The B rows are sequences of T steps (`flow.current().sequence`), one after another; of the
    carry, [h | c], only the first row of each sequence is read. Where `first` is 1 a new episode
    begins: the state is zero before that step. With gates i, f, g, o in the columns of
    y = x W + h R + b: c' = s(f) c + s(i) tanh(g), h' = s(o) tanh(c'), s the sigmoid.

    W is Glorot uniform, R orthogonal, b zero but for the forget gate, which begins at 1
    (Jozefowicz et al., ICML 2015).
    """

    def __init__(self, units: int, parts: Sequence[Any], seed: int) -> None:
        super().__init__()
        self.units, self.seed, self.carry = units, seed, 2 * units
        self.before = Stack(parts, seed, name="before")

    def build(self, x_shape: Shape, carry_shape: Shape, first_shape: Shape) -> None:
        self.before.build(x_shape)
        width, wide = self.before.compute_output_shape(x_shape)[-1], 4 * self.units
        kernel = keras.initializers.GlorotUniform(seed=seed_for(self.seed, "kernel"))
        recurrent = keras.initializers.Orthogonal(seed=seed_for(self.seed, "recurrent"))
        self.kernel = self.add_weight(shape=(width, wide), initializer=kernel, name="kernel")
        self.recurrent = self.add_weight(shape=(self.units, wide), initializer=recurrent, name="recurrent")
        self.bias = self.add_weight(shape=(wide,), initializer=self._first_bias, name="bias")

    def call(self, x: Any, carry: Any, first: Any) -> tuple[Any, Any]:
        steps, units = flow.current().sequence, self.units
        given = ops.matmul(self.before(x), self.kernel) + self.bias  # [B, 4U], all steps in one product
        given = ops.reshape(given, (-1, steps, 4 * units))  # [S, T, 4U]
        kept = ops.reshape(1.0 - ops.cast(first, given.dtype), (-1, steps, 1))  # [S, T, 1]
        state = ops.reshape(ops.cast(carry, given.dtype), (-1, steps, 2 * units))[:, 0]  # [S, 2U]
        over_time = (ops.transpose(given, (1, 0, 2)), ops.transpose(kept, (1, 0, 2)))  # [T, S, ...]
        _, carried = ops.scan(self._step, state, over_time)  # [T, S, 2U]
        carried = ops.reshape(ops.transpose(carried, (1, 0, 2)), (-1, 2 * units))
        return carried[:, :units], carried

    def _step(self, state: Any, given: tuple[Any, Any]) -> tuple[Any, Any]:
        """One step of S sequences: the state ``[S, 2 U]`` after it, twice."""
        shown, kept = given
        h, c = ops.split(state * kept, 2, axis=-1)
        i, f, g, o = ops.split(shown + ops.matmul(h, self.recurrent), 4, axis=-1)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        after = ops.concatenate([ops.sigmoid(o) * ops.tanh(c), c], axis=-1)
        return after, after

    def acting_recurrent(self, tape: Any, x: str, carry: str = "carry") -> tuple[str, str]:
        """One step of acting: the names of the features and of the carry after it."""
        weights = {name: tape.place(getattr(self, name)) for name in ("kernel", "recurrent", "bias")}
        after = tape.emit("lstm", [tape.layer(self.before, x), carry], **weights)
        return tape.emit("slice", [after], start=0, stop=self.units), after

    def _first_bias(self, shape: Shape, dtype: Any = None) -> Any:
        zeros = ops.zeros((self.units,), dtype)
        return ops.concatenate([zeros, ops.ones((self.units,), dtype), zeros, zeros])
