"""How many actions there are to value, and a row of outputs for each."""

from __future__ import annotations

from typing import Any

from coach_networks.stacks import dense
from coachcore.api import Discrete, Mismatch, Space


def count_actions(head: str, action: Space) -> int:
    """A, the number of discrete actions; raises `Mismatch` for a continuous space, saying what would work."""
    if not isinstance(action, Discrete):
        raise Mismatch(
            f"head '{head}' values discrete actions, the action space is a box of shape {action.shape}; "
            "discretise it with an action filter or use an agent for continuous actions"
        )
    return action.n


def dense_rows(actions: int, outputs: int, seed: int) -> Any:
    """One dense layer from ``[B, F]`` to `outputs` numbers an action, ``[B, A, K]``."""
    import keras

    return keras.Sequential([dense(actions * outputs, seed, name="rows"), keras.layers.Reshape((actions, outputs))])
