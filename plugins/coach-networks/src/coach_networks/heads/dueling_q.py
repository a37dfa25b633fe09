"""Head for action values in two parts: the state's value and each action's advantage."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.heads.actions import count_actions, noisy_param
from coach_networks.stacks import ACTIVATIONS
from coachcore.api import Space, component, param


@component("head", "dueling-q", aliases=("DuelingQHead", "DuelingQHeadParameters"), provides="action-values")
@attrs.frozen(kw_only=True)
class DuelingQ:
    """State value plus centred advantages, each from a tower of its own: Q = V + A - mean A.

    Wang et al., 2016, arXiv:1511.06581, eq. 9.
    """

    hidden: int = param(default=512, ge=1, doc="width of the hidden layer of each tower")
    activation: str = param(default="relu", choices=ACTIVATIONS, doc="what follows the hidden layers")
    noisy: bool = noisy_param()

    def build(self, action: Space, seed: int) -> Any:
        """A layer from ``[B, F]`` to ``[B, A]``; raises `Mismatch` for a continuous action space."""
        from coach_networks.layers.dueling import Dueling

        actions = count_actions("dueling-q", action)
        return Dueling(actions, self.hidden, self.activation, seed, noisy=self.noisy)
