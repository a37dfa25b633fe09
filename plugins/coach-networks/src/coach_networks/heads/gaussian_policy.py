"""Head for a policy over continuous actions: a normal distribution for each component."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.heads.actions import count_components
from coachcore.api import Space, component, param


@component("head", "gaussian-policy", aliases=("PPOHead", "PPOHeadParameters"), provides="gaussian-policy")
@attrs.frozen(kw_only=True)
class GaussianPolicy:
    """Means, and logarithms of deviations that are the same in every state or follow from it.

    Means are not squashed. Schulman et al., 2017, arXiv:1707.06347, section 6.1.
    """

    deviation: str = param(
        default="free",
        choices=("free", "network"),
        doc="free: one number a component that training moves; network: worked out from the features",
    )
    log_deviation: float = param(default=0.0, doc="the first logarithm of every deviation; 0 is a deviation of 1")
    gain: float = param(default=0.01, gt=0, doc="scale of the first kernel, which is orthogonal")

    def build(self, action: Space, seed: int) -> Any:
        """A layer from ``[B, F]`` to ``[B, 2, A]``, means then logarithms; raises `Mismatch` for discrete actions."""
        from coach_networks.layers.gaussian import Gaussian

        actions = count_components("gaussian-policy", action, "discrete-policy")
        return Gaussian(actions, seed, free=self.deviation == "free", first=self.log_deviation, gain=self.gain)
