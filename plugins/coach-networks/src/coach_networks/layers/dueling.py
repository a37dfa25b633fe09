"""Two towers and their dueling sum."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from coach_networks.seeds import seed_for
from coach_networks.stacks import dense


class Dueling(keras.layers.Layer):
    """From features ``[B, F]`` to V + A - mean_a A ``[B, A]``."""

    def __init__(self, actions: int, hidden: int, activation: str, seed: int) -> None:
        super().__init__()
        self.value_hidden = dense(hidden, seed_for(seed, "value_hidden"), activation, "value_hidden")
        self.value = dense(1, seed_for(seed, "value"), name="value")
        self.advantage_hidden = dense(hidden, seed_for(seed, "advantage_hidden"), activation, "advantage_hidden")
        self.advantage = dense(actions, seed_for(seed, "advantage"), name="advantage")

    def build(self, shape: tuple[int | None, ...]) -> None:
        for hidden, last in ((self.value_hidden, self.value), (self.advantage_hidden, self.advantage)):
            hidden.build(shape)
            last.build((None, hidden.units))

    def call(self, x: Any) -> Any:
        value = self.value(self.value_hidden(x))  # [B, 1]
        advantage = self.advantage(self.advantage_hidden(x))  # [B, A]
        return value + advantage - ops.mean(advantage, axis=-1, keepdims=True)

    def acting(self, tape: Any, x: str) -> str:
        value = tape.layer(self.value, tape.layer(self.value_hidden, x))
        advantage = tape.layer(self.advantage, tape.layer(self.advantage_hidden, x))
        return tape.emit("dueling", [value, advantage])
