"""Distributions of returns: on an even support, or as quantiles."""

from __future__ import annotations

import numpy as np

from coach_networks import ops
from coach_networks.arithmetic.errors import huber
from coachcore.api import Tensor


def project(atoms: Tensor, probs: Tensor, support: Tensor) -> Tensor:
    """Put a distribution back on an even support: ``[B, K], [B, K], [K'] -> [B, K']``.

    Each atom shares its mass between its two neighbours on the support, in
    proportion to closeness; an atom outside the support moves to its end. No
    mass is lost, nor where an atom lies on a support point, which a rule of
    "floor and ceiling" forgets. `support` ascends and has two points or more.

    Bellemare, Dabney & Munos, 2017, arXiv:1707.06887, eq. 7.
    """
    last = support.shape[0] - 1
    spacing = (support[-1] - support[0]) / last
    place = ops.clip((atoms - support[0]) / spacing, 0.0, float(last))  # [B, K], counted in points of the support
    gap = ops.abs(ops.expand_dims(place, 2) - np.arange(last + 1, dtype=np.float32))  # [B, K, K']
    return ops.sum(ops.maximum(1.0 - gap, 0.0) * ops.expand_dims(probs, 2), axis=1)


def cross_entropy(probs: Tensor, logits: Tensor) -> Tensor:
    """How ill softmax(`logits`) tells `probs`, ``[B, K], [B, K] -> [B]``: - sum_k p_k log softmax(logits)_k."""
    return -ops.sum(probs * ops.log_softmax(logits, axis=-1), axis=-1)


def entropy(probs: Tensor) -> Tensor:
    """- sum_k p_k log p_k, ``[B, K] -> [B]``, where 0 log 0 = 0; the least that `cross_entropy` can be."""
    return -ops.sum(probs * ops.log(ops.maximum(probs, np.finfo(np.float32).tiny)), axis=-1)


def quantile_huber(quantiles: Tensor, targets: Tensor, width: float = 1.0) -> Tensor:
    """The quantile Huber loss ``[B]`` of `quantiles` ``[B, N]`` against samples `targets` ``[B, M]``.

    sum_i mean_j |tau_i - 1{u_ij < 0}| huber(u_ij) / width, with u_ij = target_j - quantile_i.
    Output i always stands for the midpoint tau_i = (2 i + 1) / (2 N), i from 0,
    wherever its value lies among the others.

    Dabney et al., 2017, arXiv:1710.10044, eq. 10 and algorithm 1.
    """
    count = quantiles.shape[1]
    midpoints = ((2 * np.arange(count) + 1) / (2 * count)).astype(np.float32)  # [N]
    error = ops.expand_dims(targets, 2) - ops.expand_dims(quantiles, 1)  # [B, M, N]
    share = ops.where(error < 0, 1.0 - midpoints, midpoints)
    return ops.sum(ops.mean(share * huber(error, width), axis=1), axis=1) / width
