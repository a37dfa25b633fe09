"""Action values: picking one of them, what it should have been, and the values of continuous actions."""

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


def least(critics: Tensor) -> Tensor:
    """The lowest of H values of one state and action, ``[B, H] -> [B]``, against the upward bias of any one of them.

    Fujimoto et al., 2018, arXiv:1802.09477, eq. 10.
    """
    return ops.min(critics, axis=-1)


def smoothed(action: Tensor, noise: Tensor, deviation: float, limit: float) -> Tensor:
    """An action ``[B, A]`` of [-1, 1] shaken a little and kept inside: clamp(a + clamp(dev noise, +-limit), +-1).

    `noise` ``[B, A]`` is standard normal; `deviation` and `limit` are in units of the action.
    Actions that lie close get values that lie close. Fujimoto et al., 2018, arXiv:1802.09477, eq. 14.
    """
    return ops.clip(action + ops.clip(deviation * noise, -limit, limit), -1.0, 1.0)
