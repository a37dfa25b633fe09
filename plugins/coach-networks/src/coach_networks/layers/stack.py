"""Layers one after another, made from parts once the incoming shape is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import keras

from coach_networks.seeds import seed_for

Shape = tuple[int | None, ...]


class Stack(keras.layers.Layer):
    """``[B, *shape] -> [B, *shape']`` through the layer of each part; without parts, what comes in goes out.

    Layers are named by their part and counted from 0 (``dense_0``, ``conv_1``), and each
    draws its weights from a seed of that name: a part that is added shifts no other kind's
    weights.
    """

    def __init__(self, parts: Sequence[Any], seed: int, **names: Any) -> None:
        super().__init__(autocast=False, **names)  # each layer casts what it takes by itself
        self.parts, self.seed = tuple(parts), seed
        self.layers: list[Any] = []
        self.shapes: list[Shape] = []  # what each layer takes, and at the end what comes out

    def settle(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Make the layers for inputs ``[B, *shape]``; returns the shape that comes out, without B.

        Raises `Mismatch` where a part cannot take the shape that reaches it. Made once: later
        calls only tell the shape.
        """
        if not self.shapes:
            self.shapes.append((None, *shape))
            seen: Counter[str] = Counter()
            for part in self.parts:
                word = getattr(getattr(part, "__coach__", None), "name", type(part).__name__.lower()).replace("-", "_")
                name = f"{word}_{seen[word]}"
                seen[word] += 1
                layer = part.build(tuple(self.shapes[-1][1:]), seed_for(self.seed, name))
                layer.name = name
                self.layers.append(layer)
                self.shapes.append(tuple(layer.compute_output_shape(self.shapes[-1])))
        return tuple(int(n or 0) for n in self.shapes[-1][1:])

    def build(self, shape: Shape) -> None:
        self.settle(tuple(int(n or 0) for n in shape[1:]))
        for layer, given in zip(self.layers, self.shapes, strict=False):
            if not layer.built:
                layer.build(given)

    def call(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x

    def compute_output_shape(self, shape: Shape) -> Shape:
        return (shape[0], *self.settle(tuple(int(n or 0) for n in shape[1:])))

    def acting(self, tape: Any, x: str) -> str:
        for layer in self.layers:
            x = tape.layer(layer, x)
        return x
