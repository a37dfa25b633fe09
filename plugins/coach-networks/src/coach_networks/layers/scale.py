"""Scaling and clipping of an input."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

Shape = tuple[int | None, ...]


class Scale(keras.layers.Layer):
    """x / rescaling - offset as float32, then clipped; any shape, also bytes."""

    def __init__(self, rescaling: float = 1.0, offset: float = 0.0, clipping: tuple[float, ...] | None = None) -> None:
        super().__init__(autocast=False)  # inputs are read in full, whatever the arithmetic of the network
        self.rescaling, self.offset, self.clipping = rescaling, offset, clipping

    def call(self, x: Any) -> Any:
        x = ops.cast(x, "float32") * (1.0 / self.rescaling) - self.offset
        return x if self.clipping is None else ops.clip(x, *self.clipping)

    def compute_output_shape(self, shape: Shape) -> Shape:
        return shape

    def acting(self, tape: Any, x: str) -> str:
        clipping = None if self.clipping is None else list(self.clipping)
        return tape.emit("scale", [x], rescaling=self.rescaling, offset=self.offset, clipping=clipping)
