"""What the components of well-known observations mean: Gymnasium documents it and does not say it in code."""

from __future__ import annotations

import re
from collections.abc import Mapping

_POLE = ("cart position", "cart velocity", "pole angle", "pole angular velocity")
_LANDER = ("x", "y", "x velocity", "y velocity", "angle", "angular velocity", "left leg contact", "right leg contact")
_ACROBOT = ("cos 1", "sin 1", "cos 2", "sin 2", "angular velocity 1", "angular velocity 2")

NAMES: Mapping[str, tuple[str, ...]] = {
    "CartPole": _POLE,
    "Acrobot": _ACROBOT,
    "MountainCar": ("position", "velocity"),
    "MountainCarContinuous": ("position", "velocity"),
    "Pendulum": ("cos", "sin", "angular velocity"),
    "LunarLander": _LANDER,
    "LunarLanderContinuous": _LANDER,
}
"""By id without version."""


def names_of(environment: str, components: int) -> tuple[str, ...]:
    """Names for an observation of so many components; none where they are not known.

    `environment` is the full id, with or without the package before it.
    """
    names = NAMES.get(re.sub(r"-v\d+$", "", environment.rpartition(":")[2]), ())
    return names if len(names) == components else ()
