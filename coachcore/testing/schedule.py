"""What every schedule must keep true."""

from __future__ import annotations

import math
from typing import Any

from coachcore.testing.laws import require, settings_are_frozen

STEPS = (0, 1, 2, 3.5, 10, 99, 100, 101, 10_000, 1_000_000, 10**9, 10**15)
"""Steps that the laws ask for: the beginning, fractions, and far past any end."""
SOON = 10_000
"""Steps up to which a schedule shows how large its values are."""


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


def far_past_the_end_it_stays_within_reason(part: Any) -> None:
    """A line that is meant to end is not drawn on for ever: 10**15 steps are not 1,000 times as much as 10,000."""
    early = max(abs(part(step)) for step in STEPS if step <= SOON)
    late = max(abs(part(step)) for step in STEPS)
    require(late <= 1_000 * max(early, 1.0), f"far past its end a schedule stays within reason, got a size of {late:g}")


LAWS = (
    settings_never_change,
    every_step_has_a_finite_value,
    a_value_depends_on_its_step_only,
    far_past_the_end_it_stays_within_reason,
)


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

    def test_far_past_the_end_it_stays_within_reason(self) -> None:
        far_past_the_end_it_stays_within_reason(self.make())
