"""QR-DQN: learn quantiles of the return of each action, act on their mean."""

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
    Tensor,
    Update,
    component,
    param,
)

SLOTS = {"q": "quantiles"}
NETWORK = {
    "embedders": {"observation": {"use": "vector", "scheme": "medium"}},
    "middleware": {"use": "dense", "scheme": "medium"},
    "heads": {"q": {"use": "quantile-q"}},
}


@component(
    "agent",
    "qr-dqn",
    aliases=(
        "QuantileRegressionDQN",
        "QuantileRegressionDQNAgent",
        "QuantileRegressionDQNAgentParameters",
    ),
    slots=SLOTS,
    executor="small",
    actions="discrete",
    defaults=NETWORK,
)
@attrs.frozen(kw_only=True)
class QRDQN:
    """Deep Q-learning of whole distributions, as quantiles of equal weight wherever they fall.

    Every quantile of the taken action is drawn to each r + d theta'_j(s', a), with a
    the action of the greatest mean, more from one side than from the other by
    its rank. The head settles how many quantiles there are. Dabney et al., 2017,
    arXiv:1710.10044, algorithm 1. The priority is the size of the mean's error.
    """

    huber_width: float = param(
        default=1.0, gt=0, doc="kappa, the error at which the Huber loss turns straight; the loss is divided by it"
    )
    double: bool = param(default=False, doc="let the online network choose the action that the target network tells of")
    discount: float = param(default=0.99, gt=0, le=1, doc="gamma, what a reward is worth one step later")
    n_step: int = param(default=1, ge=1, doc="rewards added up before bootstrapping")

    def data(self, _spaces: Spaces) -> DataSpec:
        return DataSpec()

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        """One network with a target; raises `Mismatch` unless actions are discrete."""
        return one_network("qr-dqn", SLOTS, spaces)

    def updates(self) -> tuple[Update, ...]:
        return (Update("main", self.errors),)

    def errors(self, nets: Nets, batch: Batch) -> LossOut:
        """The quantile Huber loss ``[B]`` of the taken action."""
        main = nets["main"]
        after = main.target(batch.next_obs)["q"]  # [B, A, K]
        judge = main.online(batch.next_obs)["q"] if self.double else after
        best = arithmetic.pick(after, ops.argmax(_mean(judge), axis=-1))  # [B, K]
        reward, discount = ops.expand_dims(batch.reward, -1), ops.expand_dims(batch.discount, -1)
        target = ops.stop_gradient(arithmetic.bellman(reward, discount, best))  # [B, K]
        told = arithmetic.pick(main.online(batch.obs)["q"], batch.action)  # [B, K]
        value = _mean(told)
        size = ops.abs(value - _mean(target))
        loss = arithmetic.quantile_huber(told, target, self.huber_width)
        return LossOut(loss, size, {"q": value, "td_error": size})

    def propose(self, outputs: Mapping[str, Array]) -> Proposal:
        """Mean returns ``[N, A]`` of quantiles ``[N, A, K]``."""
        return Proposal(outputs["q"].mean(axis=-1))


def _mean(quantiles: Tensor) -> Tensor:
    """``[..., K] -> [...]``, all of equal weight."""
    return ops.mean(quantiles, axis=-1)
