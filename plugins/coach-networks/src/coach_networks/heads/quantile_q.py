"""Head for quantiles of returns, for every action."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.heads.actions import count_actions, dense_rows, noisy_param
from coachcore.api import Space, component, param


@component(
    "head",
    "quantile-q",
    aliases=("QuantileRegressionQHead", "QuantileRegressionQHeadParameters"),
    provides="quantiles",
)
@attrs.frozen(kw_only=True)
class QuantileQ:
    """Quantiles of each action's return, all of equal weight, one dense layer.

    Output i is the quantile at (2 i + 1) / (2 N), i from 0; an agent reads N
    from the shape. Dabney et al., 2017, arXiv:1710.10044.
    """

    quantiles: int = param(default=200, ge=1, doc="N, the quantiles of each action")
    noisy: bool = noisy_param()

    def build(self, action: Space, seed: int) -> Any:
        """A layer from ``[B, F]`` to ``[B, A, N]``; raises `Mismatch` for a continuous action space."""
        return dense_rows(count_actions("quantile-q", action), self.quantiles, seed, noisy=self.noisy)
