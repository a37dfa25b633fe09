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


class LayerPart(Protocol):
    """One layer of a scheme that is spelled out: `scheme = [{ use = "dense", units = 64 }]`."""

    def build(self, shape: tuple[int, ...], seed: int) -> Layer:
        """A layer for inputs ``[B, *shape]``; raises `Mismatch` for a shape it cannot take."""
        ...


class Embedder(Protocol):
    """From one named input to features. Must keep true: output is ``[B, F]``."""

    def build(self, space: Space, seed: int) -> Layer:
        """A layer from ``[B, *space.shape]`` to ``[B, F]``; raises `Mismatch` for a shape it cannot take."""
        ...


class Middleware(Protocol):
    """From merged features to features. Must keep true: ``[B, F] -> [B, F']``.

    A recurrent one is marked ``recurrent`` in @component and says by `carry` how many numbers it
    remembers between steps. Its layer is called with features, ``carry`` ``[B, carry]`` (before the
    step; only the first row of each sequence is read) and ``first`` ``[B]`` (1 where an episode
    begins), and gives features and the carry after each row.
    """

    def build(self, seed: int) -> Layer:
        """A layer from ``[B, F]`` to ``[B, F']``."""
        ...


class Head(Protocol):
    """From features to what an agent's slot asks for.

    ``provides`` in @component names it and fixes the shape:
    ``action-values`` ``[B, A]``; ``return-distribution`` (logits) and ``quantiles``
    ``[B, A, K]``, where K is a setting of the head and an agent reads it from the shape;
    ``ensemble-values`` ``[B, H, A]``, the action values of H heads in one;
    ``state-value`` ``[B]``; ``critics`` ``[B, H]``, H values of one state and action;
    ``discrete-policy`` logits ``[B, A]``; ``gaussian-policy`` ``[B, 2, A]``, means and
    logarithms of deviations; ``squashed-gaussian-policy`` the same before tanh;
    ``deterministic-policy`` ``[B, A]`` in [-1, 1].
    """

    def build(self, action: Space, seed: int) -> Layer:
        """A layer from ``[B, F']`` to the shape that `provides` promises; raises `Mismatch`."""
        ...
