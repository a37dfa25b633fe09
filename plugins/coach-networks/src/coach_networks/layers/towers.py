"""Hidden layers that end in one number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from coach_networks.flow import current
from coach_networks.layers.stack import Stack
from coach_networks.seeds import seed_for
from coach_networks.stacks import dense

Shape = tuple[int | None, ...]


class Tower(keras.layers.Layer):
    """``[B, F] -> [B]``: the layers of `parts`, then one unit, Glorot or orthogonal with `gain`."""

    def __init__(self, parts: Sequence[Any], seed: int, *, gain: float | None = None, **names: Any) -> None:
        super().__init__(**names)
        self.hidden = Stack(parts, seed_for(seed, "hidden"), name="hidden")
        self.last = dense(1, seed_for(seed, "last"), name="last", gain=gain)

    def build(self, shape: Shape) -> None:
        self.hidden.build(shape)
        self.last.build(self.hidden.compute_output_shape(shape))

    def call(self, x: Any) -> Any:
        return ops.squeeze(self.last(self.hidden(x)), axis=-1)

    def compute_output_shape(self, shape: Shape) -> Shape:
        return shape[:1]

    def acting(self, tape: Any, x: str) -> str:
        return tape.emit("reshape", [tape.layer(self.last, tape.layer(self.hidden, x))], shape=[])


class Towers(keras.layers.Layer):
    """``[B, F] -> [B, H]``: H towers side by side, each with weights of its own; ``[B, 1]`` where `Flow.only` asks."""

    def __init__(self, count: int, parts: Sequence[Any], seed: int) -> None:
        super().__init__()
        self.towers = [Tower(parts, seed_for(seed, f"critic_{i}"), name=f"critic_{i}") for i in range(count)]

    def build(self, shape: Shape) -> None:
        for tower in self.towers:
            tower.build(shape)

    def call(self, x: Any) -> Any:
        only = current().only
        if only is not None:
            return ops.expand_dims(self.towers[only](x), -1)
        return ops.stack([tower(x) for tower in self.towers], axis=-1)

    def compute_output_shape(self, shape: Shape) -> Shape:
        return (shape[0], len(self.towers))

    def acting(self, tape: Any, x: str) -> str:
        ends = [tape.layer(tower.last, tape.layer(tower.hidden, x)) for tower in self.towers]  # each [1]
        return tape.emit("concatenate", ends)
