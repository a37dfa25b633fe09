"""Advantage actor-critic: one step up the policy's gradient for each batch of fresh steps."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from coach_networks import arithmetic, ops
from coach_policy.on_policy import FACTS, explained, fresh, one_network, proposal, value_loss
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


@component("agent", "a2c", aliases=("ActorCritic", "ActorCriticAgent", "ActorCriticAgentParameters"), **FACTS)
@attrs.frozen(kw_only=True)
class A2C:
    """Advantage actor-critic, all environments in step.

    Maximises A log pi(a | s) + w H, with A the return up to the end of a rollout and the value that follows,
    less the value expected (gae_lambda = 1; less looks ahead less far). The gradient is
    the policy's own only on the first pass, so leave learner.epochs at 1 and let
    batch_size be a whole rollout. Mnih et al., 2016, arXiv:1602.01783, algorithm S3, without its asynchrony.
    """

    entropy_weight: Schedule = param(default=0.0, ge=0, type="schedule", doc="what a nat of entropy is worth")
    normalize_advantages: bool = param(default=False, doc="whether advantages get mean 0 and deviation 1 a minibatch")
    discount: float = param(default=0.99, gt=0, le=1, doc="gamma, what a reward is worth one step later")
    gae_lambda: float = param(
        default=1.0, ge=0, le=1, doc="how far advantages look ahead: 0 one step, 1 to the end of the episode"
    )

    def data(self, spaces: Spaces) -> DataSpec:
        return fresh()

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        """One network, with a policy that fits the actions and a value; raises `Mismatch` for tensors."""
        return one_network("a2c", spaces.action)

    def updates(self) -> tuple[Update, ...]:
        return (Update("main", self.errors),)

    def errors(self, nets: Nets, batch: Batch) -> LossOut:
        """The losses ``[B]`` of policy and value; the priority is the size of the value's error."""
        outputs, extras = nets["main"].online(batch.obs), batch.extras
        policy, value = outputs["policy"], outputs["value"]
        advantage = arithmetic.normalized(extras["advantage"]) if self.normalize_advantages else extras["advantage"]
        entropy = arithmetic.policy_entropy(policy)
        gain = arithmetic.log_prob(policy, batch.action) * advantage + batch.knobs["entropy_weight"] * entropy
        loss = {"policy": -gain, "value": value_loss(value, extras)}
        metrics = {"entropy": entropy, "value": value, "explained_variance": explained(value, extras["return"])}
        return LossOut(loss, ops.abs(value - extras["return"]), metrics)

    def propose(self, outputs: Mapping[str, Array]) -> Proposal:
        """Probabilities ``[N, A]`` of discrete actions, mean and deviation ``[N, A]`` in a box."""
        return proposal(outputs["policy"])

    def kept(self, outputs: Mapping[str, Array], proposal: Proposal, actions: Array) -> Mapping[str, Array]:
        """The value expected, ``[N]``."""
        return {"value": outputs["value"]}

    def begin(self) -> State:
        return None

    def knobs(self, state: State, step: int) -> Mapping[str, float]:
        """The worth of entropy after `step` training steps."""
        return {"entropy_weight": self.entropy_weight(step)}

    def adapt(self, state: State, metrics: Mapping[str, float]) -> State:
        return state
