"""Middleware of dense layers."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.stacks import ACTIVATIONS, initializer_param, layer_parts, scheme_param
from coachcore.api import component, param

WIDTHS = {"empty": (), "shallow": (64,), "medium": (512,), "deep": (128, 128, 128)}


@component("middleware", "dense", aliases=("FCMiddleware", "FCMiddlewareParameters"))
@attrs.frozen(kw_only=True)
class Dense:
    """Dense layers between the embedders and the heads.

    Schemes: empty (none), shallow (64), medium (512), deep (128 three times), a list of widths or of layers.
    """

    scheme: Any = scheme_param("empty, shallow, medium, deep")
    activation: str = param(default="relu", choices=ACTIVATIONS, doc="what follows each dense layer")
    initializer: str = initializer_param()

    def build(self, seed: int) -> Any:
        """A layer from ``[B, F]`` to ``[B, F']``."""
        from coach_networks.layers.stack import Stack

        return Stack(layer_parts(self.scheme, WIDTHS, self.activation, self.initializer), seed)
