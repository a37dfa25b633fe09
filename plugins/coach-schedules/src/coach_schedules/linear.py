"""A schedule that goes straight from one value to another."""

from __future__ import annotations

import attrs

from coach_schedules.constant import finite
from coachcore.api import component, param


@component("schedule", "linear", aliases=("LinearSchedule",))
@attrs.frozen(kw_only=True)
class Linear:
    """From `start` to `end` in equal parts over `steps` steps, then `end` for ever; up or down."""

    start: float = param(doc="value at step 0", check=finite)
    end: float = param(doc="value from step `steps` on", check=finite)
    steps: int = param(doc="how long the way takes", ge=1, unit="steps")

    def __call__(self, step: float) -> float:
        if step >= self.steps:
            return float(self.end)
        return self.start + (self.end - self.start) * (step / self.steps)
