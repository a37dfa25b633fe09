"""What agents that value discrete actions have in common."""

from __future__ import annotations

from collections.abc import Mapping

from coachcore.api import Discrete, Mismatch, NetworkSpec, Spaces


def one_network(agent: str, slots: Mapping[str, str], spaces: Spaces) -> Mapping[str, NetworkSpec]:
    """One network with a target; raises `Mismatch` unless actions are discrete."""
    if not isinstance(spaces.action, Discrete):
        raise Mismatch(
            f"{agent} chooses among discrete actions, this environment's are a box of shape {spaces.action.shape}; "
            "discretise them with the action filter 'box-discretization', or use an agent for continuous actions"
        )
    return {"main": NetworkSpec(slots=slots, target=True)}
