"""Head for a policy over [-1, 1]: normal distributions whose draws are squashed by tanh."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.heads.actions import count_components
from coachcore.api import Space, component

LOG_DEVIATION = (-20.0, 2.0)


@component(
    "head",
    "squashed-gaussian-policy",
    aliases=("SACPolicyHead", "SACPolicyHeadParameters"),
    provides="squashed-gaussian-policy",
)
@attrs.frozen(kw_only=True)
class SquashedGaussianPolicy:
    """Means and logarithms of deviations before tanh, both from the features; the latter clipped to [-20, 2].

    Haarnoja et al., 2018, arXiv:1812.05905, appendix C.
    """

    def build(self, action: Space, seed: int) -> Any:
        """A layer from ``[B, F]`` to ``[B, 2, A]``, means then logarithms; raises `Mismatch` for discrete actions."""
        from coach_networks.layers.gaussian import Gaussian

        actions = count_components("squashed-gaussian-policy", action, "discrete-policy")
        return Gaussian(actions, seed, free=False, limits=LOG_DEVIATION)
