"""A layer that changes nothing but the gradient."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops


class GradientScale(keras.layers.Layer):
    """Hands values on as they are and gradients times `factor`; any shape.

    Dueling networks scale what the heads send into the torso by 1 / sqrt(2)
    (Wang et al., 2016, arXiv:1511.06581, section 4.2).
    """

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def call(self, x: Any) -> Any:
        still = ops.stop_gradient(x)
        return still + self.factor * (x - still)

    def acting(self, _tape: Any, x: str) -> str:
        return x
