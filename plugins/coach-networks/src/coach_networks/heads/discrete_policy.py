"""Head for a policy over discrete actions."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.heads.actions import count_actions
from coach_networks.stacks import dense
from coachcore.api import Space, component, param


@component(
    "head",
    "discrete-policy",
    aliases=("PolicyHead", "PolicyHeadParameters", "ACERPolicyHead", "ACERPolicyHeadParameters"),
    provides="discrete-policy",
)
@attrs.frozen(kw_only=True)
class DiscretePolicy:
    """One logit an action, straight from the features; the policy is their softmax, at first nearly uniform."""

    gain: float = param(default=0.01, gt=0, doc="scale of the first kernel, which is orthogonal")

    def build(self, action: Space, seed: int) -> Any:
        """A layer from ``[B, F]`` to logits ``[B, A]``; raises `Mismatch` for a continuous action space."""
        return dense(count_actions("discrete-policy", action, "gaussian-policy"), seed, gain=self.gain)
