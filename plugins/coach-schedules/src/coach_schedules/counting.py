"""What a schedule goes by: steps, episodes or updates."""

from __future__ import annotations

from typing import Any

from coachcore.api import param

COUNTED = ("steps", "episodes", "updates")


def per_param() -> Any:
    """The setting `per` of a schedule."""
    return param(
        default="steps",
        choices=COUNTED,
        doc="what is counted since training began: environment steps, episodes that ended, or gradient steps",
    )


def counted(step: float, per: str) -> float:
    """How many of `per` there were at `step`: a run's step knows; a plain number is taken as it is."""
    return step if per == "steps" else getattr(step, per, step)
