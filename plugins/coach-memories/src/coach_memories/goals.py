"""Whether a goal was reached and what that pays: distances, and rewards made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from coachcore.api import Array, BadSetting, FloatOrVector, param

_LEAST = 1e-9
"""Added to distances that something is divided by."""


def _cosine(there: Array, goal: Array) -> Array:
    norms = np.linalg.norm(there, axis=-1) * np.linalg.norm(goal, axis=-1)
    found: Array = 1.0 - np.einsum("...g,...g->...", there, goal) / np.maximum(norms, _LEAST)
    return found


def _euclidean(there: Array, goal: Array) -> Array:
    away = there - goal
    found: Array = np.sqrt(np.einsum("...g,...g->...", away, away))
    return found


DISTANCES: dict[str, Callable[[Array, Array], Array]] = {
    "euclidean": _euclidean,
    "cosine": _cosine,
    "manhattan": lambda there, goal: np.abs(there - goal).sum(axis=-1),
    "chebyshev": lambda there, goal: np.abs(there - goal).max(axis=-1),
    "componentwise": lambda there, goal: np.abs(there - goal),
}
"""Distances ``[...]`` of points from goals, both ``[..., G]``; componentwise ones are ``[..., G]``."""


def _threshold(part: Any, field: Any, value: Any) -> None:
    if isinstance(value, tuple) and part.distance != "componentwise":
        raise BadSetting(
            f"{len(value)} numbers, but the distance '{part.distance}' is one - give one, or use 'componentwise'",
            where=field.name,
        )


def reward_setting() -> Any:
    """The setting that says what goals pay."""
    return param(
        default="reaching-goal",
        choices=("reaching-goal", "inverse-distance"),
        doc="what a substituted goal pays: two rewards, or 1 / distance",
    )


def distance_setting() -> Any:
    """The setting that says what near means."""
    return param(
        default="euclidean",
        choices=tuple(DISTANCES),
        doc="how far a state is from a goal; componentwise: each by itself",
    )


def threshold_setting() -> Any:
    """The setting that says how near is near enough."""
    return param(
        default=0.05, ge=0, check=_threshold, doc="a goal is reached within this distance (of every component)"
    )


@attrs.frozen(kw_only=True)
class Goals:
    """What reaching or missing a goal pays, as pure functions of points and goals ``[..., G]``."""

    reward: str = "reaching-goal"
    distance: str = "euclidean"
    threshold: FloatOrVector = 0.05
    reached_reward: float = 0.0
    missed_reward: float = -1.0
    max_reward: float = 1.0

    def __call__(self, there: Array, goal: Array) -> tuple[Array, Array]:
        """Rewards ``[...]``, and whether the goal was reached ``[...]`` bool."""
        away = DISTANCES[self.distance](there, goal)
        reached: Array = np.less_equal(away, self.threshold)
        if self.distance == "componentwise":
            reached, away = np.all(reached, axis=-1), away.max(axis=-1)
        if self.reward == "inverse-distance":
            return np.minimum(self.max_reward, 1.0 / (away + _LEAST)), reached
        return self.missed_reward + (self.reached_reward - self.missed_reward) * reached, reached
