"""Gaussian policies whose draws are squashed by tanh: actions in (-1, 1), as SAC takes them.

Here too a policy is ``[B, 2, A]``: means and logarithms of deviations of what is squashed.
"""

from __future__ import annotations

import math

from coach_networks import ops
from coach_networks.arithmetic.policies import log_prob
from coachcore.api import Tensor

EDGE = 1.0 - 2.0**-24
"""The largest float32 below 1: tanh rounds to 1 from about 9 on, and no finite number is squashed to 1."""


def squashed_sample(policy: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
    """An action ``[B, A]`` in (-1, 1) and the logarithm ``[B]`` of its density; `noise` ``[B, A]`` is standard normal.

    u = mean + dev noise, action = tanh(u), log density = log N(u) - sum_i log(1 - tanh(u_i)^2).
    Gradients flow from both results to means and deviations.
    Haarnoja et al., 2018, arXiv:1801.01290, appendix C, eq. 21.
    """
    drawn = policy[:, 0] + ops.exp(policy[:, 1]) * noise
    return ops.clip(ops.tanh(drawn), -EDGE, EDGE), log_prob_before_tanh(policy, drawn)


def squashed_log_prob(policy: Tensor, action: Tensor) -> Tensor:
    """The logarithm ``[B]`` of the density at an action ``[B, A]`` in [-1, 1].

    As that of `squashed_sample`, from the action alone: -1 and 1, which stand for everything that rounds
    to them, are read as the nearest number inside. Where an action is known before tanh,
    `log_prob_before_tanh` is more exact.
    """
    inside = ops.clip(action, -EDGE, EDGE)
    return log_prob_before_tanh(policy, 0.5 * (ops.log1p(inside) - ops.log1p(-inside)))


def log_prob_before_tanh(policy: Tensor, drawn: Tensor) -> Tensor:
    """The logarithm ``[B]`` of the density at tanh(`drawn`), for `drawn` ``[B, A]``.

    log(1 - tanh(u)^2) is written 2 (log 2 - u - softplus(-2 u)), the same number without the difference
    1 - 1, which is 0 in float32 for u past 9.
    """
    shrunk = 2.0 * (math.log(2.0) - drawn - ops.softplus(-2.0 * drawn))  # [B, A], log slope of tanh
    return log_prob(policy, drawn) - ops.sum(shrunk, axis=-1)
