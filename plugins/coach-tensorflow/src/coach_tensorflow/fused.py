"""The optimizer's arithmetic as one compiled kernel, where the update itself runs in TensorFlow's graph executor."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from coach_networks.optimizers import Optimizer


class FusedStep:
    """An optimizer whose step XLA makes one pass over the weights.

    In the graph executor every multiplication of a step is an operation of its own over all weights:
    a tenth of an update of SAC, and most of what is not convolution in one of pictures.
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.slots = optimizer.slots
        self.step: Any = tf.function(optimizer.step, jit_compile=True, autograph=False)
