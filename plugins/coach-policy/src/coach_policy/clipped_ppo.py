"""Clipped PPO: several passes over fresh steps, none of which pays for moving the policy far."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from coach_networks import arithmetic, ops
from coach_policy.on_policy import FACTS, explained, fresh, log_prob, one_network, proposal, ratio, value_loss
from coachcore.api import (
    Array,
    Batch,
    Column,
    DataSpec,
    LossOut,
    Nets,
    NetworkSpec,
    Proposal,
    Schedule,
    Spaces,
    State,
    Update,
    component,
    param,
)


@component("agent", "clipped-ppo", aliases=("ClippedPPO", "ClippedPPOAgent", "ClippedPPOAgentParameters"), **FACTS)
@attrs.frozen(kw_only=True)
class ClippedPPO:
    """Proximal policy optimisation with a clipped probability ratio.

    Maximises min(r A, clip(r, 1 - c, 1 + c) A) + w H, with r = pi(a | s) / pi_old(a | s) and
    generalised advantages A, standardised over each minibatch; the value is drawn to A + V_old.
    Schulman et al., 2017, arXiv:1707.06347, eq. 7 and 9; arXiv:1506.02438 for the advantages.
    RL Coach 1.0 moved its clip range on in evaluation too; here schedules follow training steps.
    """

    clip: Schedule = param(
        default=0.2, ge=0, type="schedule", doc="how far the probability ratio may leave 1 and still pay"
    )
    entropy_weight: Schedule = param(default=0.0, ge=0, type="schedule", doc="what a nat of entropy is worth")
    value_clip: float = param(default=0.0, ge=0, doc="how far a value may leave the old one and still pay; 0: no limit")
    normalize_advantages: bool = param(default=True, doc="whether advantages get mean 0 and deviation 1 a minibatch")
    discount: float = param(default=0.99, gt=0, le=1, doc="gamma, what a reward is worth one step later")
    gae_lambda: float = param(
        default=0.95, ge=0, le=1, doc="how far advantages look ahead: 0 one step, 1 to the end of the episode"
    )

    def data(self, spaces: Spaces) -> DataSpec:
        return fresh(Column("log_prob"))

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        """One network, with a policy that fits the actions and a value; raises `Mismatch` for tensors."""
        return one_network("clipped-ppo", spaces.action)

    def updates(self) -> tuple[Update, ...]:
        return (Update("main", self.errors),)

    def errors(self, nets: Nets, batch: Batch) -> LossOut:
        """The losses ``[B]`` of policy and value; the priority is the size of the value's error."""
        outputs, extras = nets["main"].online(batch.obs), batch.extras
        policy, value = outputs["policy"], outputs["value"]
        advantage = arithmetic.normalized(extras["advantage"]) if self.normalize_advantages else extras["advantage"]
        log_ratio = arithmetic.log_prob(policy, batch.action) - extras["log_prob"]
        apart, entropy = ratio(log_ratio) - 1.0, arithmetic.policy_entropy(policy)
        gain = arithmetic.clipped_surrogate(log_ratio, advantage, batch.knobs["clip"])
        loss = {
            "policy": -gain - batch.knobs["entropy_weight"] * entropy,
            "value": value_loss(value, extras, self.value_clip),
        }
        metrics = {
            "kl": apart - log_ratio,  # an estimate of KL(old, new) from the actions taken
            "clip_fraction": ops.cast(ops.abs(apart) > batch.knobs["clip"], "float32"),
            "entropy": entropy,
            "value": value,
            "explained_variance": explained(value, extras["return"]),
        }
        return LossOut(loss, ops.abs(value - extras["return"]), metrics)

    def propose(self, outputs: Mapping[str, Array]) -> Proposal:
        """Probabilities ``[N, A]`` of discrete actions, mean and deviation ``[N, A]`` in a box."""
        return proposal(outputs["policy"])

    def kept(self, outputs: Mapping[str, Array], proposal: Proposal, actions: Array) -> Mapping[str, Array]:
        """The value expected and how likely the actions were, each ``[N]``."""
        return {"value": outputs["value"], "log_prob": log_prob(proposal, actions)}

    def begin(self) -> State:
        return None

    def knobs(self, state: State, step: int) -> Mapping[str, float]:
        """The clip range and the worth of entropy after `step` training steps."""
        return {"clip": self.clip(step), "entropy_weight": self.entropy_weight(step)}

    def adapt(self, state: State, metrics: Mapping[str, float]) -> State:
        return state
