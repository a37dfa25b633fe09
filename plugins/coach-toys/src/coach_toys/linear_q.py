"""Q-learning over a linear function or a table: the whole algorithm with its gradient written out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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

SLOTS = {"q": "action-values"}
NETWORK = {
    "embedders": {"observation": {"use": "plain"}},
    "middleware": {"use": "straight"},
    "heads": {"q": {"use": "linear-values"}},
}


@component("agent", "linear-q", slots=SLOTS, executor="small", actions="discrete", defaults=NETWORK)
@attrs.frozen(kw_only=True)
class LinearQ:
    """Watkins's Q-learning with values that are weighted sums of what is observed.

    The error of a step is e = Q(s, a) - (r + d max_a' Q'(s', a')), with the target network Q',
    and d = gamma^n or 0 past a terminal step; the loss is e^2 / 2. So its slope is e for
    the action that was taken and 0 for the others, which is all that the engine `numpy`
    needs to know: see `slopes`. Where observations are one-hot, this is a table.

    Watkins, Learning from delayed rewards, 1989; Sutton and Barto, 2nd edition, sections 6.5 and 9.4.
    """

    discount: float = param(default=0.95, gt=0, le=1, doc="gamma, what a reward is worth one step later")
    n_step: int = param(default=1, ge=1, doc="rewards added up before bootstrapping")

    def data(self, spaces: Spaces) -> DataSpec:
        return DataSpec()

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        """One network with a target; raises `Mismatch` unless actions are discrete."""
        if not isinstance(spaces.action, Discrete):
            raise Mismatch(
                f"linear-q chooses among discrete actions, this environment's are {spaces.action} - "
                "divide them with the action filter 'box-discretization'"
            )
        return {"main": NetworkSpec(slots=SLOTS, target=True)}

    def updates(self) -> tuple[Update, ...]:
        return (Update("main", self.errors),)

    def errors(self, nets: Nets, batch: Batch) -> LossOut:
        """The loss ``[B]`` of each transition; its priority is the size of the error."""
        value, error = self._error(nets, batch)
        size = _ops(error).abs(error)
        return LossOut(0.5 * error * error, size, {"q": value, "td_error": size})

    def slopes(self, nets: Nets, batch: Batch) -> Mapping[str, Array]:
        """The derivative of each example's loss with respect to its own outputs, by slot: ``[B, A]``, in NumPy."""
        _, error = self._error(nets, batch)
        slope = np.zeros_like(nets["main"].online(batch.obs)["q"])
        np.put_along_axis(slope, batch.action[:, None], error[:, None], axis=1)
        return {"q": slope}

    def propose(self, outputs: Mapping[str, Array]) -> Proposal:
        return Proposal(outputs["q"])

    def _error(self, nets: Nets, batch: Batch) -> tuple[Tensor, Tensor]:
        """Q(s, a) and by how much it is too large, each ``[B]``."""
        values, after = nets["main"].online(batch.obs)["q"], nets["main"].target(batch.next_obs)["q"]  # [B, A]
        ops = _ops(values)
        value = ops.take_along_axis(values, batch.action[:, None], axis=1)[:, 0]
        target = batch.reward + batch.discount * ops.max(after, axis=1)
        return value, value - _fixed(target)


def _ops(values: Tensor) -> Any:
    """NumPy for its own arrays, else `keras.ops`, which has these functions under the same names."""
    if isinstance(values, np.ndarray):
        return np
    from keras import ops

    return ops


def _fixed(target: Tensor) -> Tensor:
    """What is wanted, not what is moved: no gradient flows into it."""
    return target if isinstance(target, np.ndarray) else _ops(target).stop_gradient(target)
