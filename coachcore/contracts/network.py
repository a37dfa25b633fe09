"""Embedders, middlewares and heads: the three storeys of a network.

Each part says how to build a Keras layer; none names a backend. A built layer
maps ``[B, ...]`` to ``[B, ...]`` and draws its initial weights from the seed
it is given only.
"""

from __future__ import annotations

from typing import Any, Protocol

from coachcore.spaces import Space

Layer = Any
"""A `keras.Layer`; the core does not import Keras."""


class Embedder(Protocol):
    """From one named input to features. Must keep true: output is ``[B, F]``."""

    def build(self, space: Space, seed: int) -> Layer:
        """A layer from ``[B, *space.shape]`` to ``[B, F]``; raises `Mismatch` for a shape it cannot take."""
        ...


class Middleware(Protocol):
    """From merged features to features. Must keep true: ``[B, F] -> [B, F']``."""

    def build(self, seed: int) -> Layer:
        """A layer from ``[B, F]`` to ``[B, F']``."""
        ...


class Head(Protocol):
    """From features to what an agent's slot asks for.

    ``provides`` in @component names it (``action-values``, ``return-distribution`` ...)
    and fixes the shape: action-values are ``[B, A]``; a return-distribution
    (logits) and quantiles are ``[B, A, K]``, where K is a setting of the head
    and an agent reads it from the shape.
    """

    def build(self, action: Space, seed: int) -> Layer:
        """A layer from ``[B, F']`` to the shape that `provides` promises; raises `Mismatch`."""
        ...
