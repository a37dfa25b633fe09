"""Head for distributions of returns: logits over the points of a support, for every action."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.heads.actions import count_actions, dense_rows, noisy_param
from coachcore.api import Space, component, param


@component(
    "head", "categorical-q", aliases=("CategoricalQHead", "CategoricalQHeadParameters"), provides="return-distribution"
)
@attrs.frozen(kw_only=True)
class CategoricalQ:
    """Logits of each action's return over evenly spaced points, one dense layer.

    How many points is settled here; between which returns they lie is settled
    in the agent, which reads their number from the shape.
    Bellemare, Dabney & Munos, 2017, arXiv:1707.06887.
    """

    atoms: int = param(default=51, ge=2, doc="K, the points of the support")
    noisy: bool = noisy_param()

    def build(self, action: Space, seed: int) -> Any:
        """A layer from ``[B, F]`` to logits ``[B, A, K]``; raises `Mismatch` for a continuous action space."""
        return dense_rows(count_actions("categorical-q", action), self.atoms, seed, noisy=self.noisy)
