"""SAC for discrete actions: expectations over all of them, where SAC draws one."""

from __future__ import annotations

import math
from collections.abc import Mapping

import attrs
import numpy as np

from coach_control.actor_critic import ACTOR, discrete_actions, free_temperature, temperature
from coach_networks import arithmetic, ops
from coachcore.api import (
    Array,
    Batch,
    DataSpec,
    LossOut,
    Nets,
    NetworkSpec,
    Proposal,
    Spaces,
    Tensor,
    Update,
    component,
    param,
)

SLOTS = {"actor": {"policy": "discrete-policy"}, "critic": {"q1": "action-values", "q2": "action-values"}}
NETWORKS = {
    "actor": {**ACTOR, "heads": {"policy": {"use": "discrete-policy"}}},
    "critic": {**ACTOR, "torso": "separate", "heads": {"q1": {"use": "q"}, "q2": {"use": "q"}}},
}


@component(
    "agent",
    "discrete-sac",
    slots=SLOTS,
    defaults=NETWORKS,
    free=["temperature"],
    executor="twin",
    actions="discrete",
)
@attrs.frozen(kw_only=True)
class DiscreteSAC:
    """Soft actor-critic among discrete actions, with a temperature t that keeps the entropy where it is wanted.

    Both critics are drawn to y = r + d (sum_a pi(a | s') min_i Q'_i(s', a) + t H(s')); the actor goes down
    -sum_a pi(a | s) min_i Q_i(s, a) - t H(s); log t goes down log t (H(s) - wanted entropy). H is the entropy of
    the policy. Christodoulou, 2019, arXiv:1910.07207, eq. 10 to 12.
    """

    temperature: float = param(default=1.0, gt=0, doc="t at first, what a nat of entropy is worth")
    learn_temperature: bool = param(default=True, doc="whether t follows the entropy; if not, it stays")
    entropy_share: float = param(
        default=0.98, ge=0, le=1, doc="the entropy wanted, as a share of the most there can be, log of the actions"
    )
    discount: float = param(default=0.99, gt=0, le=1, doc="gamma, what a reward is worth one step later")
    n_step: int = param(default=1, ge=1, doc="rewards added up before bootstrapping")

    def data(self, spaces: Spaces) -> DataSpec:
        return DataSpec()

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        """Actor, two critics and temperature; raises `Mismatch` unless actions are discrete."""
        discrete_actions("discrete-sac", spaces)
        return {
            "actor": NetworkSpec(slots=SLOTS["actor"]),
            "critic": NetworkSpec(slots=SLOTS["critic"], target=True, acts=False),
            "temperature": free_temperature(self.temperature),
        }

    def updates(self) -> tuple[Update, ...]:
        """Critic, temperature, actor: the last two ask the actor the same, which is then worked out once."""
        cool = (Update("temperature", self.cool),) if self.learn_temperature else ()
        return (Update("critic", self.errors), *cool, Update("actor", self.climb))

    def errors(self, nets: Nets, batch: Batch) -> LossOut:
        """The critics' losses by head, ``[B]`` each; the priority is the mean size of their errors."""
        policy = nets["actor"].online(batch.next_obs)["policy"]
        promised = arithmetic.expected(policy, _lower(nets["critic"].target(batch.next_obs)))
        soft = promised + temperature(nets) * arithmetic.policy_entropy(policy)
        target = ops.stop_gradient(arithmetic.bellman(batch.reward, batch.discount, soft))
        online = nets["critic"].online(batch.obs)
        values = {slot: arithmetic.pick(online[slot], batch.action) for slot in SLOTS["critic"]}
        loss = {slot: arithmetic.half_square(value - target) for slot, value in values.items()}
        size = 0.5 * (ops.abs(values["q1"] - target) + ops.abs(values["q2"] - target))
        return LossOut(loss, size, {"q": 0.5 * (values["q1"] + values["q2"]), "td_error": size})

    def cool(self, nets: Nets, batch: Batch) -> LossOut:
        """The temperature's loss ``[B]``: it rises where the policy is more certain than wanted."""
        policy = nets["actor"].online(batch.obs)["policy"]
        wanted = self.entropy_share * math.log(policy.shape[-1])
        missing = ops.stop_gradient(wanted - arithmetic.policy_entropy(policy))
        loss = -nets["temperature"].online({})["log_temperature"] * missing
        return LossOut(loss, ops.zeros_like(missing), {"temperature": temperature(nets)})

    def climb(self, nets: Nets, batch: Batch) -> LossOut:
        """The actor's loss ``[B]``: what its choice is worth to the lower critic, and its entropy, taken away."""
        policy = nets["actor"].online(batch.obs)["policy"]
        value = arithmetic.expected(policy, _lower(nets["critic"].online(batch.obs)))
        entropy = arithmetic.policy_entropy(policy)
        return LossOut(-value - temperature(nets) * entropy, ops.zeros_like(value), {"entropy": entropy})

    def propose(self, outputs: Mapping[str, Array]) -> Proposal:
        """Probabilities ``[N, A]``."""
        logits = outputs["policy"]
        weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return Proposal(weights / weights.sum(axis=-1, keepdims=True))


def _lower(outputs: Mapping[str, Tensor]) -> Tensor:
    """The lower of two values of each action, ``[B, A]``."""
    return ops.minimum(outputs["q1"], outputs["q2"])
