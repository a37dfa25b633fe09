"""The three storeys of a linear network: numbers as they are, nothing between, and one weighted sum an action.

The engine `numpy` computes them itself; `build` makes the same of Keras layers, so that
other engines can run the agent too. Keras is imported there and not before.
"""

from __future__ import annotations

from typing import Any

import attrs

from coachcore.api import Box, Discrete, Mismatch, Space, component


@component("embedder", "plain")
@attrs.frozen(kw_only=True)
class Plain:
    """The numbers of an observation as they are, on one axis."""

    def build(self, space: Space, seed: int) -> Any:
        """A layer from ``[B, *space.shape]`` to ``[B, F]``; raises `Mismatch` for anything but real numbers."""
        import keras

        refuse_unless_numbers(space)
        return keras.layers.Flatten()


@component("middleware", "straight")
@attrs.frozen(kw_only=True)
class Straight:
    """Nothing: features go straight on to the heads."""

    def build(self, seed: int) -> Any:
        """A layer from ``[B, F]`` to ``[B, F]``."""
        import keras

        return keras.layers.Activation("linear")


@component("head", "linear-values", provides="action-values")
@attrs.frozen(kw_only=True)
class LinearValues:
    """One value an action, Q(s, a) = x(s) . W[:, a] + b[a]; weights begin small and random."""

    def build(self, action: Space, seed: int) -> Any:
        """A layer from ``[B, F]`` to ``[B, A]``; raises `Mismatch` unless actions are discrete."""
        import keras

        count = actions_of(action)
        start = keras.initializers.RandomNormal(stddev=DEVIATION, seed=seed)
        return keras.layers.Dense(count, kernel_initializer=start)


DEVIATION = 0.01
"""Standard deviation of first weights: enough to tell seeds apart, too little to matter."""


def refuse_unless_numbers(space: Space) -> None:
    """Raises `Mismatch` for what a weighted sum makes no sense of: bytes and choices."""
    if not isinstance(space, Box) or space.dtype != "float32":
        raise Mismatch(f"embedder 'plain' takes real numbers, got {space} - make them so with a filter")


def actions_of(action: Space) -> int:
    """How many actions there are; raises `Mismatch` for a box of them."""
    if not isinstance(action, Discrete):
        raise Mismatch(f"head 'linear-values' values discrete actions, got {action} - choose another head")
    return action.n
