"""The agent of the head `value-gaussians`."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np

from coachcore.api import (
    Array,
    Batch,
    DataSpec,
    Discrete,
    LossOut,
    Mismatch,
    Nets,
    NetworkSpec,
    Proposal,
    Spaces,
    Tensor,
    Update,
    component,
    param,
)

SLOTS = {"gaussians": "value-gaussians"}
NETWORK = {
    "embedders": {"observation": {"use": "vector"}},
    "middleware": {"use": "dense"},
    "heads": {"gaussians": {"use": "value-gaussians"}},
}
NARROW, WIDE = -3.0, 2.0


@component(
    "agent",
    "risk-q",
    needs=("keras",),
    slots=SLOTS,
    shapes={"gaussians": [2, "A"]},
    defaults=NETWORK,
    executor="small",
    actions="discrete",
)
@attrs.frozen(kw_only=True)
class RiskQ:
    """Q-learning of a mean m and a deviation s of y = r + d m'(s', a'), where a' is what one would do in s'.

    The loss is s**(2 beta) (((y - m) / s)**2 / 2 + log s), the first factor being
    a constant to the gradient: Seitzer et al., 2022, arXiv:2203.09168. One acts on
    m + appetite s, so that a negative appetite shuns what may go either way.
    """

    discount: float = param(default=0.99, gt=0, le=1, doc="gamma, what a reward is worth one step later")
    n_step: int = param(default=1, ge=1, doc="rewards added up before bootstrapping")
    appetite: float = param(default=0.0, doc="what a deviation of 1 is worth: below 0 it is shunned, above 0 sought")
    beta: float = param(default=0.5, ge=0, le=1, doc="how little wide distributions slow the mean down; 0: not at all")

    def data(self, spaces: Spaces) -> DataSpec:
        return DataSpec()

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        if not isinstance(spaces.action, Discrete):
            raise Mismatch(f"agent 'risk-q' chooses among discrete actions, got {spaces.action}")
        return {"main": NetworkSpec(slots=SLOTS, target=True)}

    def updates(self) -> tuple[Update, ...]:
        return (Update("main", self.errors),)

    def errors(self, nets: Nets, batch: Batch) -> LossOut:
        """The loss ``[B]``; its priority is the error's size."""
        from keras import ops

        after = ops.convert_to_tensor(nets["main"].target(batch.next_obs)["gaussians"])  # [B, 2, A]
        liked = after[:, 0] + self.appetite * ops.exp(ops.clip(after[:, 1], NARROW, WIDE))  # [B, A]
        then = _taken(after[:, 0], ops.argmax(liked, axis=1))  # [B]
        goal = ops.stop_gradient(batch.reward + batch.discount * then)  # [B]
        now = ops.convert_to_tensor(nets["main"].online(batch.obs)["gaussians"])
        mean = _taken(now[:, 0], batch.action)  # [B]
        log = ops.clip(_taken(now[:, 1], batch.action), NARROW, WIDE)  # [B]
        error = goal - mean
        likelihood = ops.square(error * ops.exp(-log)) / 2.0 + log
        loss = ops.stop_gradient(ops.exp(2.0 * self.beta * log)) * likelihood
        return LossOut(loss, ops.abs(error), {"value": mean, "deviation": ops.exp(log)})

    def propose(self, outputs: Mapping[str, Array]) -> Proposal:
        mean, log = outputs["gaussians"][:, 0], np.clip(outputs["gaussians"][:, 1], NARROW, WIDE)
        return Proposal(mean + self.appetite * np.exp(log))


def _taken(values: Tensor, action: Tensor) -> Tensor:
    """The value ``[B]`` of each row's action."""
    from keras import ops

    return ops.sum(values * ops.one_hot(action, values.shape[1], dtype=values.dtype), axis=1)
