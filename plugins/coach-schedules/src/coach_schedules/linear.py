"""A schedule that goes straight from one value to another."""

from __future__ import annotations

import attrs

from coach_schedules.constant import finite
from coach_schedules.counting import counted, per_param
from coachcore.api import component, param


@component("schedule", "linear", aliases=("LinearSchedule",), values=("start", "end"))
@attrs.frozen(kw_only=True)
class Linear:
    """From `start` to `end` in equal parts over `steps` steps, then `end` for ever; up or down.

    With `per`, `steps` are episodes or updates instead. The old schedule was
    moved by whoever asked it, so its steps were calls; here they are counted by the run.
    """

    start: float = param(doc="value at step 0", check=finite)
    end: float = param(doc="value from step `steps` on", check=finite)
    steps: int = param(doc="how long the way takes, in what `per` counts", ge=1)
    per: str = per_param()

    def __call__(self, step: float) -> float:
        share = counted(step, self.per) / self.steps
        return float(self.end) if share >= 1 else self.start + (self.end - self.start) * share
