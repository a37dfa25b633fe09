"""DQN and Double DQN: learn what each action is worth, act on the best."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from coach_networks import arithmetic, ops
from coach_value.discrete import one_network
from coachcore.api import (
    Array,
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

SLOTS = {"q": "action-values"}
NETWORK = {
    "embedders": {"observation": {"use": "vector", "scheme": "medium"}},
    "middleware": {"use": "dense", "scheme": "medium"},
    "heads": {"q": {"use": "q"}},
}


@component(
    "agent",
    "dqn",
    aliases=("DQN", "DQNAgent", "DQNAgentParameters"),
    slots=SLOTS,
    executor="small",
    actions="discrete",
    defaults=NETWORK,
)
@attrs.frozen(kw_only=True)
class DQN:
    """Deep Q-learning, also double and over n steps; give it a dueling head for Dueling DQN.

    y = r + d max_a Q'(s', a) with the target network Q', and d = gamma^n or 0 past
    a terminal step; with `double`, the online network chooses the action that the
    target network values. Mnih et al., Nature 518 (2015) 529; van Hasselt et al.,
    2016, arXiv:1509.06461. An error is counted for the taken action alone.
    """

    double: bool = param(default=False, doc="let the online network choose the action that the target network values")
    discount: float = param(default=0.99, gt=0, le=1, doc="gamma, what a reward is worth one step later")
    n_step: int = param(default=1, ge=1, doc="rewards added up before bootstrapping")
    loss: str = param(default="huber", choices=("huber", "mse"), doc="how an error becomes a loss")
    huber_width: float = param(default=1.0, gt=0, doc="error at which the Huber loss turns straight")

    def data(self, _spaces: Spaces) -> DataSpec:
        return DataSpec()

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        """One network with a target; raises `Mismatch` unless actions are discrete."""
        return one_network("dqn", SLOTS, spaces)

    def updates(self) -> tuple[Update, ...]:
        return (Update("main", self.errors),)

    def errors(self, nets: Nets, batch: Batch) -> LossOut:
        """The loss ``[B]`` of each transition; its priority is the size of the error."""
        main = nets["main"]
        after = main.target(batch.next_obs)["q"]  # [B, A]
        chooser = main.online(batch.next_obs)["q"] if self.double else None
        target = arithmetic.bellman(batch.reward, batch.discount, arithmetic.best(after, chooser))
        value = arithmetic.pick(main.online(batch.obs)["q"], batch.action)
        error = value - ops.stop_gradient(target)
        loss = arithmetic.huber(error, self.huber_width) if self.loss == "huber" else arithmetic.half_square(error)
        size = ops.abs(error)
        return LossOut(loss, size, {"q": value, "td_error": size})

    def propose(self, outputs: Mapping[str, Array]) -> Proposal:
        return Proposal(outputs["q"])
