"""Head for a policy that names one action."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.heads.actions import count_components
from coachcore.api import Space, component, param


@component(
    "head",
    "deterministic-policy",
    aliases=("DDPGActor", "DDPGActorHead", "DDPGActorHeadParameters"),
    provides="deterministic-policy",
)
@attrs.frozen(kw_only=True)
class DeterministicPolicy:
    """tanh of one dense layer, an action in [-1, 1]; small first weights keep clear of the flat ends of tanh.

    Lillicrap et al., 2016, arXiv:1509.02971, section 7.
    """

    limit: float = param(default=3e-3, gt=0, doc="kernel and bias begin uniform within plus or minus this")

    def build(self, action: Space, seed: int) -> Any:
        """A layer from ``[B, F]`` to ``[B, A]`` in [-1, 1]; raises `Mismatch` for discrete actions."""
        from keras import initializers

        from coach_networks.layers.last import Last
        from coach_networks.seeds import seed_for

        actions = count_components("deterministic-policy", action, "discrete-policy")
        kernel, bias = (
            initializers.RandomUniform(-self.limit, self.limit, seed=seed_for(seed, name))
            for name in ("kernel", "bias")
        )
        return Last(actions, "tanh", kernel_initializer=kernel, bias_initializer=bias)
