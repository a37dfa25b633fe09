"""Middleware of dense layers."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.stacks import ACTIVATIONS, SCHEMES, dense_stack, widths
from coachcore.api import component, param

WIDTHS = {"empty": (), "shallow": (64,), "medium": (512,), "deep": (128, 128, 128)}


@component("middleware", "dense", aliases=("FCMiddleware", "FCMiddlewareParameters"))
@attrs.frozen(kw_only=True)
class Dense:
    """Dense layers between the embedders and the heads.

    Schemes: empty (none), shallow (64), medium (512), deep (128 three times), or a list of widths.
    """

    scheme: str | tuple[int, ...] = param(
        default="medium",
        choices=SCHEMES,
        ge=1,
        doc="empty, shallow, medium, deep, or a list of widths such as [64, 64]",
    )
    activation: str = param(default="relu", choices=ACTIVATIONS, doc="what follows each dense layer")

    def build(self, seed: int) -> Any:
        """A layer from ``[B, F]`` to ``[B, F']``."""
        import keras

        layers = dense_stack(widths(self.scheme, WIDTHS), seed, self.activation)
        return keras.Sequential(layers or [keras.layers.Identity()])
