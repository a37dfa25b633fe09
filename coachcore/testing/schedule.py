"""What every schedule must keep true."""

from __future__ import annotations

import math
from typing import Any

from coachcore.testing.laws import require, settings_are_frozen

STEPS = (0, 1, 2, 3.5, 10, 99, 100, 101, 10_000, 1_000_000, 10**9, 10**15)
"""Steps that the laws ask for: the beginning, fractions, and far past any end."""


def settings_never_change(part: Any) -> None:
    """It is a schedule, and its settings are frozen."""
    settings_are_frozen(part, "schedule")


def every_step_has_a_finite_value(part: Any) -> None:
    """Every step >= 0 is answered with a finite number, also far past the end."""
    for step in STEPS:
        value = part(step)
        require(
            isinstance(value, int | float),
            f"a schedule answers with a number, got {type(value).__name__} at step {step}",
        )
        require(math.isfinite(value), f"a schedule's value is finite at every step, got {value} at step {step}")


def a_value_depends_on_its_step_only(part: Any) -> None:
    """Nothing is remembered between calls."""
    forwards = [part(step) for step in STEPS]
    backwards = [part(step) for step in reversed(STEPS)]
    require(forwards == backwards[::-1], "the same step gives the same value, whatever was asked before")


LAWS = (settings_never_change, every_step_has_a_finite_value, a_value_depends_on_its_step_only)


def check_schedule(part: Any) -> None:
    """Every law above; raises `AssertionError` with the rule that is broken."""
    for law in LAWS:
        law(part)


class ScheduleConformance:
    """The laws as tests: subclass it as ``TestMine`` and give `make`."""

    def make(self) -> Any:
        """The schedule to test."""
        raise NotImplementedError

    def test_settings_never_change(self) -> None:
        settings_never_change(self.make())

    def test_every_step_has_a_finite_value(self) -> None:
        every_step_has_a_finite_value(self.make())

    def test_a_value_depends_on_its_step_only(self) -> None:
        a_value_depends_on_its_step_only(self.make())
