"""Bootstrapped DQN: several heads learn what actions are worth, each from its own share of experience."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from coach_networks import arithmetic, ops
from coach_value.discrete import one_network
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

SLOTS = {"q": "ensemble-values"}
NETWORK = {
    "embedders": {"observation": {"use": "vector", "scheme": "medium"}},
    "middleware": {"use": "dense", "scheme": "medium"},
    "heads": {"q": {"use": "ensemble-q"}},
}


@component(
    "agent",
    "bootstrapped-dqn",
    aliases=("BootstrappedDQN", "BootstrappedDQNAgent", "BootstrappedDQNAgentParameters"),
    slots=SLOTS,
    executor="small",
    actions="discrete",
    defaults=NETWORK,
)
@attrs.frozen(kw_only=True)
class BootstrappedDQN:
    """Deep Q-learning by H heads, which disagree where little is known; explore with `bootstrapped` or `ucb`.

    Head h draws its value of the taken action to r + d Q'_h(s', a_h), where the
    target is its own and, with `double`, so is the choice a_h. A head learns from a
    transition with the chance `sharing`, settled once and for all when that is
    stored. The loss of an example is the sum over heads; the head `ensemble-q`
    divides what reaches the torso by H. Osband et al. 2016, arXiv:1602.04621,
    algorithm 1; the priority is the mean size of the errors learned from.
    """

    sharing: float = param(default=1.0, gt=0, le=1, doc="chance that a head learns from a transition, apart for each")
    double: bool = param(default=True, doc="let each online head choose the action that its target values")
    discount: float = param(default=0.99, gt=0, le=1, doc="gamma, what a reward is worth one step later")
    n_step: int = param(default=1, ge=1, doc="rewards added up before bootstrapping")
    loss: str = param(default="huber", choices=("huber", "mse"), doc="how an error becomes a loss")
    huber_width: float = param(default=1.0, gt=0, doc="error at which the Huber loss turns straight")

    def data(self, _spaces: Spaces) -> DataSpec:
        """Where heads share not everything, a number for each transition, from which their masks follow."""
        return DataSpec(drawn=(Column("lot"),) if self.sharing < 1 else ())

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        """One network with a target; raises `Mismatch` unless actions are discrete."""
        return one_network("bootstrapped-dqn", SLOTS, spaces)

    def updates(self) -> tuple[Update, ...]:
        return (Update("main", self.errors),)

    def errors(self, nets: Nets, batch: Batch) -> LossOut:
        """The loss ``[B]`` of each transition, over all heads that learn from it."""
        main = nets["main"]
        now, after = main.online(batch.obs)["q"], main.target(batch.next_obs)["q"]  # [B, H, A]
        judge = main.online(batch.next_obs)["q"] if self.double else after
        heads = now.shape[1]
        best = _by_head(arithmetic.best(_flat(after), _flat(judge)), heads)  # [B, H]
        reward, discount = ops.expand_dims(batch.reward, -1), ops.expand_dims(batch.discount, -1)
        target = ops.stop_gradient(arithmetic.bellman(reward, discount, best))
        value = _by_head(arithmetic.pick(_flat(now), ops.repeat(batch.action, heads)), heads)
        error = value - target
        loss = arithmetic.huber(error, self.huber_width) if self.loss == "huber" else arithmetic.half_square(error)
        mask = masks(batch.extras["lot"], heads, self.sharing) if self.sharing < 1 else ops.ones_like(loss)
        size = ops.sum(mask * ops.abs(error), axis=-1) / ops.maximum(ops.sum(mask, axis=-1), 1.0)
        metrics = {"q": ops.mean(value, axis=-1), "td_error": size, "spread": ops.std(value, axis=-1)}
        return LossOut(ops.sum(mask * loss, axis=-1), size, metrics)

    def propose(self, outputs: Mapping[str, Array]) -> Proposal:
        """What every head says ``[N, H, A]``, and the mean of that."""
        return Proposal(outputs["q"].mean(axis=1), ensemble=outputs["q"])


def _flat(values: Tensor) -> Tensor:
    """``[B, H, A] -> [B H, A]``: every head an example of its own."""
    return ops.reshape(values, (-1, values.shape[2]))


def _by_head(values: Tensor, heads: int) -> Tensor:
    """``[B H] -> [B, H]``."""
    return ops.reshape(values, (-1, heads))


def masks(lot: Tensor, heads: int, share: float) -> Tensor:
    """Which of H heads learn from each example: ``[B] -> [B, H]`` of 0 and 1, each 1 with chance `share`.

    `lot` is uniform in [0, 1), of 24 bits. Head h hashes it with its number (Appleby's
    finisher of MurmurHash3, 32 bits), so that heads decide as if each drew by itself.
    """
    bits = ops.cast(ops.expand_dims(lot, -1) * 2.0**24, "uint32")  # [B, 1], exact
    seeds = ops.cast(ops.arange(1, heads + 1, dtype="int32"), "uint32") * _u32(0x9E3779B9)  # [H]
    mixed = ops.bitwise_xor(bits, seeds)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        mixed = ops.bitwise_xor(mixed, ops.right_shift(mixed, _u32(shift))) * _u32(factor)
    mixed = ops.bitwise_xor(mixed, ops.right_shift(mixed, _u32(16)))
    shares = ops.cast(ops.right_shift(mixed, _u32(8)), "float32") / 2.0**24  # [B, H], uniform
    return ops.cast(shares < share, "float32")


def _u32(number: int) -> Tensor:
    return ops.convert_to_tensor(number, dtype="uint32")
