"""What agents that learn from their newest steps alone have in common: network, proposal and what they keep."""

from __future__ import annotations

from collections.abc import Mapping
from math import log, pi
from typing import Any

import numpy as np

from coach_networks import arithmetic, ops
from coach_networks.arithmetic.policies import LARGEST
from coachcore.api import Array, Column, DataSpec, Discrete, Mismatch, NetworkSpec, Proposal, Space, Tensor

FACTS: Mapping[str, Any] = {
    "slots": {"policy": ["discrete-policy", "gaussian-policy"], "value": "state-value"},
    "defaults": {
        "torso": "separate",
        "loss_weights": {"value": 0.5},
        "embedders": {"observation": {"use": "vector", "scheme": [64], "activation": "tanh"}},
        "middleware": {"use": "dense", "scheme": [64], "activation": "tanh"},
        "heads": {"policy": {"use": "discrete-policy"}, "value": {"use": "state-value"}},
    },
    "executor": "small",
    "actions": ["discrete", "unit-box"],
    "data": {"order": "any", "fresh": True},
}
"""What `@component` says of each of them; in a box, a preset asks for heads.policy = { use = "gaussian-policy" }."""
_LEAST = np.finfo(np.float32).tiny


def one_network(agent: str, action: Space) -> Mapping[str, NetworkSpec]:
    """One network with a policy for `action` and a value; raises `Mismatch` unless actions are numbers or vectors."""
    if isinstance(action, Discrete):
        return {"main": NetworkSpec(slots={"policy": "discrete-policy", "value": "state-value"})}
    if len(action.shape) != 1:
        raise Mismatch(
            f"{agent} takes discrete actions or vectors, this environment's are a box of shape {action.shape}; "
            "an environment whose actions are flattened to a vector would do"
        )
    return {"main": NetworkSpec(slots={"policy": "gaussian-policy", "value": "state-value"})}


def fresh(*keep: Column) -> DataSpec:
    """Rows that are used once, with the value that was expected, and `keep` besides."""
    return DataSpec(fresh=True, keep=(Column("value"), *keep))


def policy_column(action: Space) -> Column:
    """Room for a policy head's whole output: logits ``[A]``, or means and logarithms of deviations ``[2, A]``."""
    return Column("policy", (action.n,) if isinstance(action, Discrete) else (2, *action.shape))


def proposal(policy: Array) -> Proposal:
    """Probabilities ``[N, A]`` from logits ``[N, A]``; mean and deviation from a Gaussian head's ``[N, 2, A]``."""
    if policy.ndim == 3:
        return Proposal(policy[:, 0], np.exp(policy[:, 1]))
    weights = np.exp(policy - np.maximum.reduce(policy, axis=-1, keepdims=True))
    return Proposal(weights / np.add.reduce(weights, axis=-1, keepdims=True))


def log_prob(proposed: Proposal, actions: Array) -> Array:
    """How likely the proposed policy made `actions` ``[N]`` or ``[N, A]``: log pi ``[N]``, a density in a box.

    The twin in NumPy of `arithmetic.log_prob`, from what `proposal` has worked out already.
    """
    mean, deviation = proposed.preferences, proposed.deviation
    if deviation is None:
        return np.log(np.maximum(mean[np.arange(len(actions)), actions], _LEAST))
    told = np.square((actions - mean) / deviation) * -0.5 - np.log(deviation)  # [N, A]
    return np.add.reduce(told, axis=-1) - 0.5 * mean.shape[-1] * log(2 * pi)


def ratio(log_ratio: Tensor) -> Tensor:
    """exp(`log_ratio`), any shape, kept finite, so that infinity never meets an advantage of 0."""
    return ops.exp(ops.minimum(log_ratio, LARGEST))


def value_loss(value: Tensor, extras: Mapping[str, Tensor], clip: float = 0.0) -> Tensor:
    """Half the squared error ``[B]`` against the return; with `clip`, moves away from the old value by more count less.

    max((V - R)^2, (V_old + clip(V - V_old, -c, c) - R)^2) / 2, as in the code that
    goes with Schulman et al., 2017, arXiv:1707.06347 (the paper does not tell of it).
    """
    loss = arithmetic.half_square(value - extras["return"])
    if not clip:
        return loss
    near = extras["value"] + ops.clip(value - extras["value"], -clip, clip)
    return ops.maximum(loss, arithmetic.half_square(near - extras["return"]))


def explained(value: Tensor, wanted: Tensor) -> Tensor:
    """The share of the variance of `wanted` ``[B]`` that `value` ``[B]`` explains, a scalar: 1 is all of it."""
    return 1.0 - ops.var(wanted - value) / ops.maximum(ops.var(wanted), 1e-8)
