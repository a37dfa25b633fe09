"""PPO with a price on leaving the old policy, which rises and falls with how far one went."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from coach_networks import arithmetic, ops
from coach_policy.on_policy import FACTS, explained, fresh, one_network, policy_column, proposal, ratio, value_loss
from coachcore.api import (
    Array,
    Batch,
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

TOLERANCE = 1.5
"""By what factor the divergence may miss its target before the coefficient changes."""
LEAST, GREATEST = 1e-4, 1e4
"""Between these the coefficient stays, so that it can find back."""


@component("agent", "ppo", aliases=("PPO", "PPOAgent", "PPOAgentParameters"), **FACTS)
@attrs.frozen(kw_only=True)
class PPO:
    """Proximal policy optimisation with an adaptive penalty on the divergence from the old policy.

    Maximises r A - beta KL(pi_old, pi) + w H, with r = pi(a | s) / pi_old(a | s) and
    generalised advantages A, standardised over each minibatch. After a train call, beta
    is halved where the KL was below target / 1.5 and doubled where it was above
    1.5 target. Schulman et al., 2017, arXiv:1707.06347, eq. 8 and section 4. RL Coach 1.0 changed beta by other
    factors and added a second, squared penalty; neither is in the paper. The KL measured is
    the mean over all minibatches of the call, some half of what is reached at its end.
    """

    target_kl: float = param(default=0.01, gt=0, doc="the mean divergence from the old policy that is aimed at")
    initial_kl_coefficient: float = param(
        default=1.0, ge=LEAST, le=GREATEST, doc="beta at first, what a nat of divergence costs"
    )
    entropy_weight: Schedule = param(default=0.0, ge=0, type="schedule", doc="what a nat of entropy is worth")
    normalize_advantages: bool = param(default=True, doc="whether advantages get mean 0 and deviation 1 a minibatch")
    discount: float = param(default=0.99, gt=0, le=1, doc="gamma, what a reward is worth one step later")
    gae_lambda: float = param(
        default=0.95, ge=0, le=1, doc="how far advantages look ahead: 0 one step, 1 to the end of the episode"
    )

    def data(self, spaces: Spaces) -> DataSpec:
        return fresh(policy_column(spaces.action))

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        """One network, with a policy that fits the actions and a value; raises `Mismatch` for tensors."""
        return one_network("ppo", spaces.action)

    def updates(self) -> tuple[Update, ...]:
        return (Update("main", self.errors),)

    def errors(self, nets: Nets, batch: Batch) -> LossOut:
        """The losses ``[B]`` of policy and value; the priority is the size of the value's error."""
        outputs, extras = nets["main"].online(batch.obs), batch.extras
        policy, value, old = outputs["policy"], outputs["value"], extras["policy"]
        advantage = arithmetic.normalized(extras["advantage"]) if self.normalize_advantages else extras["advantage"]
        log_ratio = arithmetic.log_prob(policy, batch.action) - arithmetic.log_prob(old, batch.action)
        entropy, divergence = arithmetic.policy_entropy(policy), arithmetic.kl(old, policy)
        cost = batch.knobs["kl_coefficient"] * divergence - batch.knobs["entropy_weight"] * entropy
        loss = {"policy": cost - ratio(log_ratio) * advantage, "value": value_loss(value, extras)}
        metrics = {
            "kl": divergence,
            "kl_coefficient": batch.knobs["kl_coefficient"],
            "entropy": entropy,
            "value": value,
            "explained_variance": explained(value, extras["return"]),
        }
        return LossOut(loss, ops.abs(value - extras["return"]), metrics)

    def propose(self, outputs: Mapping[str, Array]) -> Proposal:
        """Probabilities ``[N, A]`` of discrete actions, mean and deviation ``[N, A]`` in a box."""
        return proposal(outputs["policy"])

    def kept(self, outputs: Mapping[str, Array], proposal: Proposal, actions: Array) -> Mapping[str, Array]:
        """The value expected ``[N]`` and the whole policy: ``[N, A]``, or ``[N, 2, A]`` in a box."""
        return {"value": outputs["value"], "policy": outputs["policy"]}

    def begin(self) -> State:
        """Beta."""
        return self.initial_kl_coefficient

    def knobs(self, state: State, step: int) -> Mapping[str, float]:
        """Beta, and the worth of entropy after `step` training steps."""
        return {"kl_coefficient": state, "entropy_weight": self.entropy_weight(step)}

    def adapt(self, state: State, metrics: Mapping[str, float]) -> State:
        """Beta, halved or doubled by the mean divergence of a train call; as it was where none was measured."""
        if metrics["kl"] > self.target_kl * TOLERANCE:
            return min(state * 2.0, GREATEST)
        return max(state / 2.0, LEAST) if metrics["kl"] < self.target_kl / TOLERANCE else state
