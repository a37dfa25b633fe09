"""Action values: picking one of them, and what it should have been."""

from __future__ import annotations

from coach_networks import ops
from coachcore.api import Tensor


def pick(values: Tensor, action: Tensor) -> Tensor:
    """What `values` ``[B, A]`` or ``[B, A, K]`` hold for one action ``[B]`` (whole numbers): ``[B]`` or ``[B, K]``.

    A mask and a sum instead of an indexed read: the gradient of a read is a
    scatter, which compilers do one row at a time. A NaN in another action's
    value stays out.
    """
    actions = ops.arange(values.shape[1], dtype="int32")
    chosen = ops.equal(ops.expand_dims(ops.cast(action, "int32"), -1), actions)  # [B, A]
    for _ in values.shape[2:]:
        chosen = ops.expand_dims(chosen, -1)  # [B, A, 1]
    return ops.sum(ops.where(chosen, values, 0.0), axis=1)


def best(values: Tensor, chooser: Tensor | None = None) -> Tensor:
    """The value ``[B]`` of the best action of `values` ``[B, A]``, best in the eyes of `chooser` ``[B, A]``.

    Without a chooser: max_a Q(s, a). With one: Q(s, argmax_a Q'(s, a)), double
    selection, which takes the upward bias out of the maximum
    (van Hasselt et al., 2016, arXiv:1509.06461, eq. 4). Of equals, the first is taken.
    """
    return ops.max(values, axis=-1) if chooser is None else pick(values, ops.argmax(chooser, axis=-1))


def bellman(reward: Tensor, discount: Tensor, value: Tensor) -> Tensor:
    """What a value should have been, ``[B]``: r + d V(s'), with d = gamma^n, or 0 past a terminal step."""
    return reward + discount * value
