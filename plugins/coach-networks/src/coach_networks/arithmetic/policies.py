"""Policies told by tensors: how likely an action is, how undecided, how far two of them lie apart.

A discrete policy is logits ``[B, A]``; a Gaussian one is ``[B, 2, A]``, the means
and the logarithms of the deviations. Functions tell them apart by their rank.
"""

from __future__ import annotations

import math

from coach_networks import ops
from coach_networks.arithmetic.values import pick
from coachcore.api import Tensor

HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)
LEAST = -1e30
"""Stands for log 0 where an action is ruled out by a logit of -inf: 0 times it is 0, where 0 times infinity is NaN."""

LARGEST = 80.0
"""Logarithm of the largest ratio: e^80 times an advantage is still a number, so infinity times 0 never comes up."""


def gaussian(policy: Tensor) -> bool:
    """Whether `policy` is Gaussian ``[B, 2, A]`` (else discrete, ``[B, A]``)."""
    return len(policy.shape) == 3


def log_prob(policy: Tensor, action: Tensor) -> Tensor:
    """The logarithm ``[B]`` of the probability of an action ``[B]``, or of the density at an action ``[B, A]``.

    Discrete: log softmax(logits)_a. Gaussian: sum_i - ((a_i - mean_i) / dev_i)^2 / 2 - log dev_i - log(2 pi) / 2.
    """
    if not gaussian(policy):
        return pick(_log_probs(policy), action)
    mean, log_deviation = policy[:, 0], policy[:, 1]
    return _log_density((action - mean) * ops.exp(-log_deviation), log_deviation)


def policy_entropy(policy: Tensor) -> Tensor:
    """How undecided each policy is, ``[B]``, in nats.

    Discrete: - sum_a p_a log p_a, where 0 log 0 = 0. Gaussian: sum_i log dev_i + log(2 pi e) / 2,
    which is below 0 where deviations are small.
    """
    if not gaussian(policy):
        logs = _log_probs(policy)
        return -ops.sum(ops.exp(logs) * logs, axis=-1)
    return ops.sum(policy[:, 1] + (HALF_LOG_TAU + 0.5), axis=-1)


def kl(old: Tensor, new: Tensor) -> Tensor:
    """The Kullback-Leibler divergence ``[B]`` of `new` from `old`, two policies of one kind, in nats.

    Discrete: sum_a p_a (log p_a - log q_a) with p old and q new. Gaussian: sum_i log(new_i / old_i)
    + (old_i^2 + (difference of the means)^2) / (2 new_i^2) - 1/2, written by the logarithm of
    old_i / new_i so that two near deviations do not cancel.
    """
    if not gaussian(old):
        logs = _log_probs(old)
        return ops.sum(ops.exp(logs) * (logs - _log_probs(new)), axis=-1)
    wider = old[:, 1] - new[:, 1]  # [B, A], log(old_i / new_i)
    apart = (old[:, 0] - new[:, 0]) * ops.exp(-new[:, 1])
    return ops.sum(0.5 * (ops.expm1(2.0 * wider) + ops.square(apart)) - wider, axis=-1)


def expected(logits: Tensor, values: Tensor) -> Tensor:
    """The mean ``[B]`` of `values` ``[B, A]`` under the discrete policy `logits` ``[B, A]``: sum_a p_a values_a.

    With temperature t, ``expected(logits, q) + t * policy_entropy(logits)`` is the soft value of a state
    (Christodoulou, 2019, arXiv:1910.07207, eq. 10).
    """
    return ops.sum(ops.exp(_log_probs(logits)) * values, axis=-1)


def clipped_surrogate(log_ratio: Tensor, advantage: Tensor, clip: float | Tensor) -> Tensor:
    """What PPO maximises, ``[B]``: min(r A, clamp(r, 1 - clip, 1 + clip) A), r = exp(`log_ratio`), A the advantage.

    `log_ratio` ``[B]`` is log_prob(now) - log_prob(when the action was taken). A better action gains nothing
    past 1 + clip, a worse one nothing past 1 - clip. Schulman et al., 2017, arXiv:1707.06347, eq. 7.
    """
    ratio = ops.exp(ops.minimum(log_ratio, LARGEST))
    return ops.minimum(ratio * advantage, ops.clip(ratio, 1.0 - clip, 1.0 + clip) * advantage)


def normalized(x: Tensor) -> Tensor:
    """`x` ``[B]`` moved to mean 0 and scaled to deviation 1 (over B, not B - 1); equal numbers, or a single one: 0.

    The variance has 1e-8 added under its root, so numbers that hardly differ are not blown up.
    """
    centred = x - ops.mean(x)
    return centred / ops.sqrt(ops.mean(ops.square(centred)) + 1e-8)


def _log_probs(logits: Tensor) -> Tensor:
    """Log softmax over the last axis, ``[B, A]``, no less than `LEAST`."""
    return ops.maximum(ops.log_softmax(logits, axis=-1), LEAST)


def _log_density(standard: Tensor, log_deviation: Tensor) -> Tensor:
    """The log density ``[B]`` of a Gaussian `standard` ``[B, A]`` deviations away from its mean."""
    return -ops.sum(0.5 * ops.square(standard) + log_deviation + HALF_LOG_TAU, axis=-1)
