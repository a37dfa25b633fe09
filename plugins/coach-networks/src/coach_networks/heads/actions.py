"""How many actions there are to value."""

from __future__ import annotations

from coachcore.api import Discrete, Mismatch, Space


def count_actions(head: str, action: Space) -> int:
    """A, the number of discrete actions; raises `Mismatch` for a continuous space, saying what would work."""
    if not isinstance(action, Discrete):
        raise Mismatch(
            f"head '{head}' values discrete actions, the action space is a box of shape {action.shape}; "
            "discretise it with an action filter or use an agent for continuous actions"
        )
    return action.n
