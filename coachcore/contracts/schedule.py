"""Schedules: a value that changes with training."""

from __future__ import annotations

from typing import Protocol


class Schedule(Protocol):
    """A pure function of the step.

    Must keep true: the same step always gives the same value, any step >= 0 is
    answered (also far past the end, where it does not run away), and the value is finite.

    `values` in @component names the settings that are values themselves (numbers, schedules or lists of these);
    a preset's are then held to the bounds of the setting that the schedule stands for.
    """

    def __call__(self, step: float) -> float:
        """The value at `step`, counted in environment steps since training began.

        A run gives a `clock.Now`, which also tells episodes and updates; a plain number counts whatever is asked for.
        """
        ...
