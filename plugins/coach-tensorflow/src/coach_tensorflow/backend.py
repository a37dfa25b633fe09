"""What the shared update asks of TensorFlow: gradients, and weights in their shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import tensorflow as tf

from coach_tensorflow.flat import Leaves, Segments


@attrs.frozen
class TensorFlowBackend:
    """Weights lie as `segments` says (`coach_networks.update.Backend`)."""

    segments: Segments
    compiled: bool = False

    def gradient(self, loss: Callable[[Leaves], tuple[Any, Any]], leaves: Leaves) -> tuple[Leaves, Any]:
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(leaves)
            value, aux = loss(leaves)
        return tuple(tape.gradient(value, leaves, unconnected_gradients=tf.UnconnectedGradients.ZERO)), aux

    def shaped(self, name: str, leaves: Leaves) -> list[Any]:
        return self.segments.by_name[name].weights(leaves)
