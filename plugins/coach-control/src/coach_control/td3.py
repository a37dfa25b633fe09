"""TD3: DDPG with two critics, of which the lower is believed, a late actor and shaken targets."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from coach_control.actor_critic import ACTOR, CONTINUOUS, CRITIC, critic_loss, unit_box
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
    Update,
    component,
    param,
)

SLOTS = {"actor": {"policy": "deterministic-policy"}, "critic": {"q": "critics"}}
NETWORKS = {
    "actor": {**ACTOR, "heads": {"policy": {"use": "deterministic-policy"}}},
    "critic": CRITIC,
}


@component(
    "agent", "td3", aliases=("TD3", "TD3Agent", "TD3AgentParameters"), slots=SLOTS, defaults=NETWORKS, **CONTINUOUS
)
@attrs.frozen(kw_only=True)
class TD3:
    """Twin delayed deep deterministic policy gradient.

    Every critic is drawn to y = r + d min_h Q'_h(s', a'), with a' = mu'(s') and some clipped noise; every
    `actor_every` updates the actor goes up Q_1(s, mu(s)). Fujimoto et al., 2018, arXiv:1802.09477,
    algorithm 1, which also copies to the targets only that often: learner.target_every = "2 updates".
    The noise is in units of half the action space, not of the action itself as in RL Coach 1.0.
    """

    target_noise: float = param(default=0.2, ge=0, doc="deviation of the noise on target actions, in [-1, 1]")
    target_noise_limit: float = param(default=0.5, ge=0, doc="the noise on target actions is clipped to this size")
    actor_every: int = param(default=2, ge=1, doc="updates of the critics for one of the actor")
    discount: float = param(default=0.99, gt=0, le=1, doc="gamma, what a reward is worth one step later")
    n_step: int = param(default=1, ge=1, doc="rewards added up before bootstrapping")

    def data(self, spaces: Spaces) -> DataSpec:
        return DataSpec(noise=(Column("next_action", spaces.action.shape),))

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        """Actor and critic, both with targets; raises `Mismatch` unless actions are vectors of [-1, 1]."""
        unit_box("td3", spaces)
        return {
            "actor": NetworkSpec(slots=SLOTS["actor"], target=True),
            "critic": NetworkSpec(slots=SLOTS["critic"], inputs=("action",), target=True, acts=False),
        }

    def updates(self) -> tuple[Update, ...]:
        return (Update("critic", self.errors), Update("actor", self.climb, self.actor_every))

    def errors(self, nets: Nets, batch: Batch) -> LossOut:
        """The critics' losses added up, ``[B]``; the priority is the mean size of their errors."""
        actor, critic = nets["actor"], nets["critic"]
        shaken = arithmetic.smoothed(
            actor.target(batch.next_obs)["policy"],
            batch.noise["next_action"],
            self.target_noise,
            self.target_noise_limit,
        )
        promised = critic.target({**batch.next_obs, "action": shaken})["q"]  # [B, H]
        target = arithmetic.bellman(batch.reward, batch.discount, arithmetic.least(promised))
        values = critic.online({**batch.obs, "action": batch.action})["q"]
        loss, size = critic_loss(values, target)
        return LossOut(loss, size, {"q": ops.mean(values, axis=-1), "td_error": size})

    def climb(self, nets: Nets, batch: Batch) -> LossOut:
        """The actor's loss ``[B]``: less what the first critic thinks of its actions."""
        action = nets["actor"].online(batch.obs)["policy"]
        value = nets["critic"].online({**batch.obs, "action": action}, only=0)["q"][:, 0]
        return LossOut(-value, ops.zeros_like(value), {})

    def propose(self, outputs: Mapping[str, Array]) -> Proposal:
        return Proposal(outputs["policy"])
