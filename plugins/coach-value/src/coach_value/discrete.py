"""What agents that value discrete actions have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from coach_networks import arithmetic, ops
from coachcore.api import Batch, Discrete, Mismatch, NetworkSpec, Pair, Spaces, Tensor


def one_network(agent: str, slots: Mapping[str, str], spaces: Spaces) -> Mapping[str, NetworkSpec]:
    """One network with a target; raises `Mismatch` unless actions are discrete."""
    if not isinstance(spaces.action, Discrete):
        raise Mismatch(
            f"{agent} chooses among discrete actions, this environment's are a box of shape {spaces.action.shape}; "
            "discretise them with an action filter, or use an agent for continuous actions"
        )
    return {"main": NetworkSpec(slots=slots, target=True)}


def next_returns(main: Pair, batch: Batch, mean: Callable[[Tensor], Tensor], *, double: bool) -> Tensor:
    """What the target network says ``[B, K]`` of the returns of the next action.

    That is the one of the greatest mean, where `mean` goes from ``[B, A, K]`` to
    ``[B, A]``; with `double`, greatest in the eyes of the online network.
    """
    after = main.target(batch.next_obs)["q"]  # [B, A, K]
    judge = main.online(batch.next_obs)["q"] if double else after
    return arithmetic.pick(after, ops.argmax(mean(judge), axis=-1))
