"""What agents with an actor and critics have in common: their networks and the actions they serve."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from coach_networks import arithmetic, ops
from coachcore.api import Box, Discrete, Mismatch, Nets, NetworkSpec, Spaces, Tensor

ACTOR = {
    "embedders": {"observation": {"use": "vector", "scheme": "empty"}},
    "middleware": {"use": "dense", "scheme": [256, 256]},
}
CRITIC = {
    "embedders": {**ACTOR["embedders"], "action": {"use": "vector", "scheme": "empty"}},
    "middleware": {"use": "dense", "scheme": "empty"},
    "heads": {"q": {"use": "twin-q", "hidden": [256, 256]}},
}
"""The network tables that a preset is silent about; the critics share nothing but what they are shown."""
CONTINUOUS: Mapping[str, Any] = {"inputs": {"critic": ["action"]}, "executor": "twin", "actions": "unit-box"}
"""What `@component` says of each agent whose critic is shown an action of [-1, 1]."""


def unit_box(agent: str, spaces: Spaces) -> Box:
    """The action space, a vector of [-1, 1]; raises `Mismatch` for any other, saying what would do."""
    action = spaces.action
    if isinstance(action, Discrete):
        raise Mismatch(
            f"{agent} acts by real numbers, this environment has {action.n} discrete actions; "
            "use discrete-sac, dqn or clipped-ppo"
        )
    if len(action.shape) != 1:
        raise Mismatch(
            f"{agent} acts by vectors, this environment's actions are a box of shape {action.shape}; "
            "an environment whose actions are flattened to a vector would do"
        )
    if not action.bounded:
        raise Mismatch(
            f"{agent} acts from -1 to 1, mapped to the bounds of the action space, which this box lacks; "
            "bound it with the action filter 'linear-box-to-box'"
        )
    return action


def discrete_actions(agent: str, spaces: Spaces) -> None:
    """Raises `Mismatch` for anything but discrete actions, saying what would do."""
    if not isinstance(spaces.action, Discrete):
        raise Mismatch(
            f"{agent} chooses among discrete actions, this environment's are a box of shape {spaces.action.shape}; "
            "discretise them with the action filter 'box-discretization', or use sac"
        )


def free_temperature(first: float) -> NetworkSpec:
    """One number that gradients move: the logarithm of a temperature, which thus stays above 0."""
    return NetworkSpec(free={"log_temperature": math.log(first)}, acts=False)


def temperature(nets: Nets) -> Tensor:
    """What a nat of entropy is worth, a scalar that losses other than its own do not move."""
    return ops.stop_gradient(ops.exp(nets["temperature"].online({})["log_temperature"]))


def critic_loss(values: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Half the squared errors of H critics ``[B, H]`` against one `target` ``[B]``, added up; and their mean size."""
    error = values - ops.expand_dims(ops.stop_gradient(target), -1)  # [B, H]
    return ops.sum(arithmetic.half_square(error), axis=-1), ops.mean(ops.abs(error), axis=-1)
