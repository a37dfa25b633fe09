"""SAC: an actor that is paid for staying undecided, at a price that finds itself."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np

from coach_control.actor_critic import ACTOR, CONTINUOUS, CRITIC, critic_loss, free_temperature, temperature, unit_box
from coach_networks import arithmetic, ops
from coachcore.api import (
    Array,
    Batch,
    Column,
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

SLOTS = {"actor": {"policy": "squashed-gaussian-policy"}, "critic": {"q": "critics"}}
NETWORKS = {
    "actor": {**ACTOR, "heads": {"policy": {"use": "squashed-gaussian-policy"}}},
    "critic": CRITIC,
}


@component(
    "agent",
    "sac",
    aliases=("SoftActorCritic", "SoftActorCriticAgent", "SoftActorCriticAgentParameters"),
    slots=SLOTS,
    defaults=NETWORKS,
    free=["temperature"],
    **CONTINUOUS,
)
@attrs.frozen(kw_only=True)
class SAC:
    """Soft actor-critic with a temperature t that keeps the entropy where it is wanted.

    Every critic is drawn to y = r + d (min_h Q'_h(s', a') - t log pi(a' | s')), a' drawn from the policy; the actor
    goes down t log pi(a | s) - min_h Q_h(s, a), a drawn with gradient; t goes down
    -log t (log pi(a | s) + wanted entropy). Haarnoja et al., 2018, arXiv:1812.05905, eq. 5 to 7, 9 and 18.
    RL Coach 1.0 drew other actions for each part of one gradient, proposed means that were not
    squashed, and had a third network for state values, as the first paper (arXiv:1801.01290) did.
    """

    temperature: float = param(default=1.0, gt=0, doc="t at first, what a nat of entropy is worth")
    learn_temperature: bool = param(default=True, doc="whether t follows the entropy; if not, it stays")
    target_entropy: float | None = param(
        default=None, doc="the entropy wanted, in nats; by itself, as many below 0 as actions have components"
    )
    discount: float = param(default=0.99, gt=0, le=1, doc="gamma, what a reward is worth one step later")
    n_step: int = param(default=1, ge=1, doc="rewards added up before bootstrapping")

    def data(self, spaces: Spaces) -> DataSpec:
        shape = spaces.action.shape
        return DataSpec(noise=(Column("action", shape), Column("next_action", shape)))

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        """Actor, critics and temperature; raises `Mismatch` unless actions are vectors of [-1, 1]."""
        unit_box("sac", spaces)
        return {
            "actor": NetworkSpec(slots=SLOTS["actor"]),
            "critic": NetworkSpec(slots=SLOTS["critic"], inputs=("action",), target=True, acts=False),
            "temperature": free_temperature(self.temperature),
        }

    def updates(self) -> tuple[Update, ...]:
        """Critic, temperature, actor: the last two draw the same actions, which are then worked out once."""
        cool = (Update("temperature", self.cool),) if self.learn_temperature else ()
        return (Update("critic", self.errors), *cool, Update("actor", self.climb))

    def errors(self, nets: Nets, batch: Batch) -> LossOut:
        """The critics' losses added up, ``[B]``; the priority is the mean size of their errors."""
        critic = nets["critic"]
        after, log_prob = arithmetic.squashed_sample(
            nets["actor"].online(batch.next_obs)["policy"], batch.noise["next_action"]
        )
        promised = arithmetic.least(critic.target({**batch.next_obs, "action": after})["q"])  # [B]
        soft = promised - temperature(nets) * log_prob
        values = critic.online({**batch.obs, "action": batch.action})["q"]  # [B, H]
        loss, size = critic_loss(values, arithmetic.bellman(batch.reward, batch.discount, soft))
        return LossOut(loss, size, {"q": ops.mean(values, axis=-1), "td_error": size})

    def cool(self, nets: Nets, batch: Batch) -> LossOut:
        """The temperature's loss ``[B]``: it rises where actions are more certain than wanted."""
        _, log_prob = self._drawn(nets, batch)
        wanted = -float(batch.action.shape[-1]) if self.target_entropy is None else self.target_entropy
        loss = -nets["temperature"].online({})["log_temperature"] * ops.stop_gradient(log_prob + wanted)
        return LossOut(loss, ops.zeros_like(log_prob), {"temperature": temperature(nets)})

    def climb(self, nets: Nets, batch: Batch) -> LossOut:
        """The actor's loss ``[B]``: what its actions are worth to the lower critic, and their entropy, taken away."""
        action, log_prob = self._drawn(nets, batch)
        value = arithmetic.least(nets["critic"].online({**batch.obs, "action": action})["q"])
        return LossOut(temperature(nets) * log_prob - value, ops.zeros_like(value), {"entropy": -log_prob})

    def _drawn(self, nets: Nets, batch: Batch) -> tuple[Tensor, Tensor]:
        return arithmetic.squashed_sample(nets["actor"].online(batch.obs)["policy"], batch.noise["action"])

    def propose(self, outputs: Mapping[str, Array]) -> Proposal:
        """The squashed mean ``[N, A]``; `centre` and `deviation` speak of what is squashed."""
        centre = outputs["policy"][:, 0]
        return Proposal(np.tanh(centre), np.exp(outputs["policy"][:, 1]), centre)
