"""How many actions there are, and a row of outputs for each."""

from __future__ import annotations

from typing import Any

from coach_networks.stacks import dense_or_noisy
from coachcore.api import Discrete, Mismatch, Space, param


def count_actions(head: str, action: Space, instead: str = "") -> int:
    """A, the number of discrete actions; raises `Mismatch` for a continuous space, saying what would work.

    `instead` is the head that does for continuous actions what this one does for discrete ones.
    """
    if not isinstance(action, Discrete):
        other = f"use head '{instead}'" if instead else "use an agent for continuous actions"
        raise Mismatch(
            f"head '{head}' values discrete actions, the action space is a box of shape {action.shape}; "
            f"discretise it with the action filter 'box-discretization' or {other}"
        )
    return action.n


def count_components(head: str, action: Space, instead: str) -> int:
    """A, the components of a continuous action; raises `Mismatch` for other spaces, saying what would work."""
    if isinstance(action, Discrete):
        raise Mismatch(
            f"head '{head}' gives continuous actions, the action space has {action.n} discrete ones; "
            f"use head '{instead}'"
        )
    if len(action.shape) != 1:
        raise Mismatch(f"head '{head}' gives a vector of actions, the action space is a box of shape {action.shape}")
    return action.shape[0]


def noisy_param(*, default: bool = False) -> Any:
    """The setting `noisy` of a head."""
    return param(default=default, doc="explore by dense layers that draw their weights anew at each call")


def dense_rows(actions: int, outputs: int, seed: int, *, noisy: bool = False) -> Any:
    """One dense layer from ``[B, F]`` to `outputs` numbers an action, ``[B, A, K]``."""
    import keras

    rows = dense_or_noisy(actions * outputs, seed, name="rows", noisy=noisy)
    return keras.Sequential([rows, keras.layers.Reshape((actions, outputs))])
