"""Several heads side by side, each with an opinion of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from coach_networks.layers.stack import Stack
from coach_networks.seeds import seed_for
from coach_networks.stacks import dense

Shape = tuple[int | None, ...]


class Ensemble(keras.layers.Layer):
    """``[B, F] -> [B, H, A]``: H heads, each the layers of `parts` and one of A units, with weights of its own."""

    def __init__(self, count: int, parts: Sequence[Any], units: int, seed: int) -> None:
        super().__init__()
        self.heads = []
        for i in range(count):
            own = seed_for(seed, f"head_{i}")
            hidden = Stack(parts, seed_for(own, "hidden"), name=f"hidden_{i}")
            self.heads.append((hidden, dense(units, seed_for(own, "last"), name=f"last_{i}")))

    def build(self, shape: Shape) -> None:
        for hidden, last in self.heads:
            hidden.build(shape)
            last.build(hidden.compute_output_shape(shape))

    def call(self, x: Any) -> Any:
        return ops.stack([last(hidden(x)) for hidden, last in self.heads], axis=1)

    def acting(self, tape: Any, x: str) -> str:
        return tape.emit("stack", [tape.layer(last, tape.layer(hidden, x)) for hidden, last in self.heads])
