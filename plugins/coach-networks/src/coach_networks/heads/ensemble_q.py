"""Head for the action values of an ensemble: several opinions on one torso."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.heads.actions import count_actions, dense_rows
from coach_networks.stacks import ACTIVATIONS, layer_parts
from coachcore.api import Space, component, param


@component("head", "ensemble-q", provides="ensemble-values")
@attrs.frozen(kw_only=True)
class EnsembleQ:
    """H values of each action, from H heads that begin apart and share what lies below.

    Each sends 1 / H of its gradient into the torso, so that this learns as from one
    head. Osband et al. 2016, arXiv:1602.04621, section 6.1 and appendix D. The old
    system made copies of a Q head, with the same factor set by hand.
    """

    heads: int = param(default=10, ge=1, doc="H, how many")
    hidden: tuple[int, ...] = param(default=(), ge=1, doc="widths of each head's own dense layers")
    activation: str = param(default="relu", choices=ACTIVATIONS, doc="what follows the hidden layers")

    def build(self, action: Space, seed: int) -> Any:
        """A layer from ``[B, F]`` to ``[B, H, A]``; raises `Mismatch` for a continuous action space."""
        import keras

        from coach_networks.layers.ensemble import Ensemble
        from coach_networks.layers.gradient import GradientScale

        actions = count_actions("ensemble-q", action)
        if not self.hidden:  # one dense layer for all of them costs a tenth
            rows = dense_rows(self.heads, actions, seed)
        else:
            rows = Ensemble(self.heads, layer_parts(self.hidden, {}, self.activation), actions, seed)
        return keras.Sequential([GradientScale(1 / self.heads), rows])
