"""Head for distributions of returns in two parts: the state's and each action's advantage."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.heads.actions import count_actions, noisy_param
from coach_networks.stacks import ACTIVATIONS
from coachcore.api import Space, component, param


@component("head", "rainbow-q", aliases=("RainbowQHead", "RainbowQHeadParameters"), provides="return-distribution")
@attrs.frozen(kw_only=True)
class RainbowQ:
    """Logits of each action's return over evenly spaced points, by two towers with noisy weights.

    Before the softmax, logits_a = V + A_a - mean_a A at every point.
    Hessel et al., 2018, arXiv:1710.02298, section "The integrated agent".
    """

    atoms: int = param(default=51, ge=2, doc="K, the points of the support")
    hidden: int = param(default=512, ge=1, doc="width of the hidden layer of each tower")
    activation: str = param(default="relu", choices=ACTIVATIONS, doc="what follows the hidden layers")
    noisy: bool = noisy_param(default=True)

    def build(self, action: Space, seed: int) -> Any:
        """A layer from ``[B, F]`` to logits ``[B, A, K]``; raises `Mismatch` for a continuous action space."""
        from coach_networks.layers.dueling import Dueling

        actions = count_actions("rainbow-q", action)
        return Dueling(actions, self.hidden, self.activation, seed, atoms=self.atoms, noisy=self.noisy)
