"""Head for action values: one dense layer."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.heads.actions import count_actions, noisy_param
from coach_networks.stacks import dense_or_noisy
from coachcore.api import Space, component


@component("head", "q", aliases=("QHead", "QHeadParameters"), provides="action-values")
@attrs.frozen(kw_only=True)
class Q:
    """One value an action, straight from the features: Q(s, a) = x W + b."""

    noisy: bool = noisy_param()

    def build(self, action: Space, seed: int) -> Any:
        """A layer from ``[B, F]`` to ``[B, A]``; raises `Mismatch` for a continuous action space."""
        return dense_or_noisy(count_actions("q", action), seed, noisy=self.noisy)
