"""C51: learn how the return of each action is distributed, act on its mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from coach_networks import arithmetic, ops
from coach_value.discrete import one_network
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
    Tensor,
    Update,
    component,
    param,
)

SLOTS = {"q": "return-distribution"}
NETWORK = {
    "embedders": {"observation": {"use": "vector", "scheme": "medium"}},
    "middleware": {"use": "dense", "scheme": "medium"},
    "heads": {"q": {"use": "categorical-q"}},
}


def _above_low(part: Any, field: Any, value: float) -> None:
    if not -math.inf < part.low < value < math.inf:
        raise BadSetting(
            f"the support needs low < high, both finite, got low = {part.low:g} and high = {value:g}", where=field.name
        )


@component(
    "agent",
    "c51",
    aliases=("CategoricalDQN", "CategoricalDQNAgent", "CategoricalDQNAgentParameters"),
    slots=SLOTS,
    executor="small",
    actions="discrete",
    defaults=NETWORK,
)
@attrs.frozen(kw_only=True)
class C51:
    """Deep Q-learning of whole distributions, as probabilities on evenly spaced returns from `low` to `high`.

    What r + d Z'(s', a) promises, with a the action of the greatest mean, is put
    back on the support and told by cross-entropy. The head settles how many
    points the support has. Bellemare, Dabney & Munos, 2017, arXiv:1707.06887,
    algorithm 1; the priority is the Kullback-Leibler divergence of Hessel et al.,
    2017, arXiv:1710.02298, which is 0 where nothing is left to learn.
    """

    low: float = param(default=-10.0, doc="the least return that can be told")
    high: float = param(default=10.0, check=_above_low, doc="the greatest return that can be told, above low")
    double: bool = param(default=False, doc="let the online network choose the action that the target network tells of")
    discount: float = param(default=0.99, gt=0, le=1, doc="gamma, what a reward is worth one step later")
    n_step: int = param(default=1, ge=1, doc="rewards added up before bootstrapping")

    def data(self, _spaces: Spaces) -> DataSpec:
        return DataSpec()

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        """One network with a target; raises `Mismatch` unless actions are discrete."""
        return one_network("c51", SLOTS, spaces)

    def updates(self) -> tuple[Update, ...]:
        return (Update("main", self.errors),)

    def support(self, atoms: int) -> Array:
        """The returns ``[K]`` that `atoms` logits speak of."""
        return np.linspace(self.low, self.high, atoms, dtype=np.float32)

    def errors(self, nets: Nets, batch: Batch) -> LossOut:
        """The cross-entropy ``[B]`` of the taken action; its priority is what exceeds the target's own entropy."""
        main = nets["main"]
        after = ops.softmax(main.target(batch.next_obs)["q"], axis=-1)  # [B, A, K]
        judge = ops.softmax(main.online(batch.next_obs)["q"], axis=-1) if self.double else after
        support = self.support(after.shape[-1])
        best = ops.argmax(_mean(judge, support), axis=-1)  # [B]
        reward, discount = ops.expand_dims(batch.reward, -1), ops.expand_dims(batch.discount, -1)
        atoms = arithmetic.bellman(reward, discount, support)  # [B, K]
        target = ops.stop_gradient(arithmetic.project(atoms, arithmetic.pick(after, best), support))
        told = arithmetic.pick(main.online(batch.obs)["q"], batch.action)  # [B, K]
        loss = arithmetic.cross_entropy(target, told)
        divergence = ops.maximum(loss - arithmetic.entropy(target), 0.0)  # rounding may take it below 0
        value = _mean(ops.softmax(told, axis=-1), support)
        return LossOut(loss, divergence, {"q": value, "divergence": divergence})

    def propose(self, outputs: Mapping[str, Array]) -> Proposal:
        """Expected returns ``[N, A]`` from logits ``[N, A, K]``."""
        logits = outputs["q"]
        weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return Proposal(weights @ self.support(logits.shape[-1]) / weights.sum(axis=-1))


def _mean(probs: Tensor, support: Tensor) -> Tensor:
    """The expected return of distributions: ``[..., K], [K] -> [...]``."""
    return ops.sum(probs * support, axis=-1)
