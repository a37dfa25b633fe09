"""Two towers and their dueling sum."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from coach_networks.seeds import seed_for
from coach_networks.stacks import dense_or_noisy


class Dueling(keras.layers.Layer):
    """From features ``[B, F]`` to V + A - mean_a A: ``[B, A]``, or with `atoms` K a row an action, ``[B, A, K]``."""

    def __init__(
        self, actions: int, hidden: int, activation: str, seed: int, *, atoms: int | None = None, noisy: bool = False
    ) -> None:
        super().__init__()
        self.actions, self.atoms = actions, atoms

        def layer(units: int, name: str, after: str = "none") -> Any:
            return dense_or_noisy(units, seed_for(seed, name), after, name, noisy=noisy)

        self.value_hidden = layer(hidden, "value_hidden", activation)
        self.value = layer(atoms or 1, "value")
        self.advantage_hidden = layer(hidden, "advantage_hidden", activation)
        self.advantage = layer(actions * (atoms or 1), "advantage")

    def build(self, shape: tuple[int | None, ...]) -> None:
        for hidden, last in ((self.value_hidden, self.value), (self.advantage_hidden, self.advantage)):
            hidden.build(shape)
            last.build((None, hidden.units))

    def call(self, x: Any) -> Any:
        value = self.value(self.value_hidden(x))  # [B, 1]
        advantage = self.advantage(self.advantage_hidden(x))  # [B, A]
        if self.atoms is None:
            return value + advantage - ops.mean(advantage, axis=-1, keepdims=True)
        rows = ops.reshape(advantage, (-1, self.actions, self.atoms))  # [B, A, K]
        return ops.expand_dims(value, 1) + rows - ops.mean(rows, axis=1, keepdims=True)

    def acting(self, tape: Any, x: str) -> str:
        value = tape.layer(self.value, tape.layer(self.value_hidden, x))
        advantage = tape.layer(self.advantage, tape.layer(self.advantage_hidden, x))
        if self.atoms is not None:
            value = tape.emit("reshape", [value], shape=[1, self.atoms])
            advantage = tape.emit("reshape", [advantage], shape=[self.actions, self.atoms])
        return tape.emit("dueling", [value, advantage])
