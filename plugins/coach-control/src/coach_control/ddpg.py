"""DDPG: an actor climbs the gradient of a critic's value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from coach_control.actor_critic import ACTOR, CONTINUOUS, CRITIC, unit_box
from coach_networks import arithmetic, ops
from coachcore.api import (
    Array,
    BadSetting,
    Batch,
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

SLOTS = {"actor": {"policy": "deterministic-policy"}, "critic": {"q": "state-value"}}
NETWORKS = {
    "actor": {**ACTOR, "heads": {"policy": {"use": "deterministic-policy"}}},
    "critic": {**CRITIC, "heads": {"q": {"use": "state-value", "hidden": [256, 256]}}},
}


def _two_bounds(_part: Any, field: Any, value: Any) -> None:
    if value is not None and (len(value) != 2 or not value[0] < value[1]):
        raise BadSetting(f"expected [low, high] with low < high, got {list(value)}", where=field.name)


@component(
    "agent", "ddpg", aliases=("DDPG", "DDPGAgent", "DDPGAgentParameters"), slots=SLOTS, defaults=NETWORKS, **CONTINUOUS
)
@attrs.frozen(kw_only=True)
class DDPG:
    """Deep deterministic policy gradient: Q-learning with an actor in place of the maximum.

    The critic is drawn to y = r + d Q'(s', mu'(s')), both from slow copies; the actor goes up
    Q(s, mu(s)). Lillicrap et al., 2016, arXiv:1509.02971, algorithm 1. The critic's head
    values the state and the action it is shown. Actions are in units of half the action space.
    """

    target_range: tuple[float, ...] | None = param(
        default=None, check=_two_bounds, doc="[low, high] that y is clipped to, where returns have known ends"
    )
    discount: float = param(default=0.99, gt=0, le=1, doc="gamma, what a reward is worth one step later")
    n_step: int = param(default=1, ge=1, doc="rewards added up before bootstrapping")

    def data(self, spaces: Spaces) -> DataSpec:
        return DataSpec()

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        """Actor and critic, both with targets; raises `Mismatch` unless actions are vectors of [-1, 1]."""
        unit_box("ddpg", spaces)
        return {
            "actor": NetworkSpec(slots=SLOTS["actor"], target=True),
            "critic": NetworkSpec(slots=SLOTS["critic"], inputs=("action",), target=True, acts=False),
        }

    def updates(self) -> tuple[Update, ...]:
        return (Update("critic", self.errors), Update("actor", self.climb))

    def errors(self, nets: Nets, batch: Batch) -> LossOut:
        """The critic's loss ``[B]``; the priority is the size of its error."""
        actor, critic = nets["actor"], nets["critic"]
        after = actor.target(batch.next_obs)["policy"]  # [B, A]
        promised = critic.target({**batch.next_obs, "action": after})["q"]
        target = arithmetic.bellman(batch.reward, batch.discount, promised)
        if self.target_range is not None:
            target = ops.clip(target, *self.target_range)
        value = critic.online({**batch.obs, "action": batch.action})["q"]
        error = value - ops.stop_gradient(target)
        size = ops.abs(error)
        return LossOut(arithmetic.half_square(error), size, {"q": value, "td_error": size})

    def climb(self, nets: Nets, batch: Batch) -> LossOut:
        """The actor's loss ``[B]``: less what the critic thinks of its actions."""
        action = nets["actor"].online(batch.obs)["policy"]
        value = nets["critic"].online({**batch.obs, "action": action})["q"]
        return LossOut(-value, ops.zeros_like(value), {})

    def propose(self, outputs: Mapping[str, Array]) -> Proposal:
        return Proposal(outputs["policy"])
