"""Returns of stretches of experience, time first: every array is ``[T, B]``, T known when traced.

`discount` is gamma, or 0 past a terminal step, so nothing leaks from one episode into the next.
Where an episode was only cut off, `cut_off` turns what would have followed into reward first.
No gradient is stopped here: that is the caller's choice.
"""

from __future__ import annotations

from coach_networks import ops
from coachcore.api import Tensor


def cut_off(reward: Tensor, discount: Tensor, truncated: Tensor, value_after: Tensor) -> tuple[Tensor, Tensor]:
    """Reward and discount, any one shape, with every truncated step closed by the value of what it led to.

    Where `truncated` (1 or True) the reward becomes r + d V(s') and the discount 0: the same return
    as bootstrapping there, and the next row, of another episode, is not mistaken for what followed.
    `value_after` is read there only.
    """
    ends = ops.cast(truncated, "bool")
    return ops.where(ends, reward + discount * value_after, reward), ops.where(ends, 0.0, discount)


def n_step_returns(reward: Tensor, discount: Tensor, last_value: Tensor) -> Tensor:
    """Rewards added up to the end of the stretch, then `last_value` ``[B]``: ``[T, B]``.

    G_t = r_t + d_t G_t+1, with G_T = `last_value`, the value of what followed the last step: as many steps
    as there are (Mnih et al., 2016, arXiv:1602.01783, algorithm S3).
    """
    return _backward(reward, discount, last_value)


def gae(reward: Tensor, discount: Tensor, value: Tensor, last_value: Tensor, decay: float) -> Tensor:
    """Generalised advantages ``[T, B]`` of `value` ``[T, B]``: A_t = e_t + d_t decay A_t+1, A_T = 0.

    e_t = r_t + d_t V_t+1 - V_t. With decay 0 one step's error, with 1 `n_step_returns` less the value.
    Schulman et al., 2016, arXiv:1506.02438, eq. 16.
    """
    error = reward + discount * _after(value, last_value) - value
    return _backward(error, discount * decay, ops.zeros_like(last_value))


def vtrace(
    log_ratio: Tensor,
    reward: Tensor,
    discount: Tensor,
    value: Tensor,
    last_value: Tensor,
    clips: tuple[float, float] = (1.0, 1.0),
) -> tuple[Tensor, Tensor]:
    """What values should have been when another policy acted, and the policy's advantages, both ``[T, B]``.

    `log_ratio` is log pi(a) - log mu(a), mu having acted; rho_t and c_t are the ratios held below `clips`.
    vs_t = V_t + rho_t (r_t + d_t V_t+1 - V_t) + d_t c_t (vs_t+1 - V_t+1), with vs_T = V_T = `last_value` ``[B]``;
    advantage_t = rho_t (r_t + d_t vs_t+1 - V_t).
    Espeholt et al., 2018, arXiv:1802.01561, eq. 1, remark 1 and section 4.2.
    """
    rho, c = (ops.minimum(ops.exp(log_ratio), clip) for clip in clips)
    error = rho * (reward + discount * _after(value, last_value) - value)
    targets = value + _backward(error, discount * c, ops.zeros_like(last_value))
    return targets, rho * (reward + discount * _after(targets, last_value) - value)


def retrace(
    log_ratio: Tensor, reward: Tensor, discount: Tensor, taken: Tensor, value_after: Tensor, decay: float = 1.0
) -> Tensor:
    """What the values of the actions taken should have been when another policy acted, ``[T, B]``.

    `taken` is Q(s_t, a_t), `value_after` the mean of Q(s_t+1, .) under the policy pi that is valued (`expected`),
    `log_ratio` is log pi(a_t) - log mu(a_t), mu having acted. With c_t = decay min(1, ratio_t):
    target_t = r_t + d_t (value_after_t + c_t+1 (target_t+1 - taken_t+1)); the last one bootstraps at once.
    Munos et al., 2016, arXiv:1606.02647, eq. 4, with its lambda as `decay`.
    """
    trace = decay * ops.minimum(ops.exp(log_ratio), 1.0)
    error = reward + discount * value_after - taken
    nothing = ops.zeros_like(error[0])  # [B]
    return taken + _backward(error, discount * _after(trace, nothing), nothing)


def _after(values: Tensor, last: Tensor) -> Tensor:
    """What comes one step later, ``[T, B], [B] -> [T, B]``."""
    return ops.concatenate([values[1:], ops.expand_dims(last, 0)], axis=0)


def _backward(added: Tensor, factor: Tensor, last: Tensor) -> Tensor:
    """x_t = added_t + factor_t x_t+1, with x_T = `last` ``[B]``: ``[T, B]``.

    Stretches are joined two by two, so T steps take log2 T passes over the whole
    instead of T small ones; engines compile that well, forwards and backwards.
    """
    reach, steps = 1, added.shape[0]
    while reach < steps:
        added = ops.concatenate([added[:-reach] + factor[:-reach] * added[reach:], added[-reach:]], axis=0)
        factor = ops.concatenate([factor[:-reach] * factor[reach:], factor[-reach:]], axis=0)
        reach *= 2
    return added + factor * last
