"""Noise that sets numbers to zero."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import keras
from keras import ops

from coach_networks import flow

Shape = tuple[int | None, ...]


class Drop(keras.layers.Layer):
    """In training, each number is 0 with probability `rate`, the others are divided by 1 - rate; any shape.

    A number falls where standard normal noise lies below the normal quantile of `rate`.
    Out of training, or without noise in the flow of the call, nothing happens.
    Srivastava et al., JMLR 15 (2014) 1929.
    """

    def __init__(self, rate: float, **names: Any) -> None:
        super().__init__(**names)
        self.rate = rate

    def call(self, x: Any) -> Any:
        now = flow.current()
        if not (self.rate and now.training and now.normal is not None):
            return x
        falls = now.normal(ops.shape(x)) < NormalDist().inv_cdf(self.rate)
        return ops.where(falls, ops.zeros_like(x), x / (1.0 - self.rate))

    def compute_output_shape(self, shape: Shape) -> Shape:
        return shape

    def acting(self, tape: Any, x: str) -> str:
        return x
