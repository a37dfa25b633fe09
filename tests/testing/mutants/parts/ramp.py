"""A right schedule."""

from __future__ import annotations

import attrs

from coachcore.component import component, param


@component("schedule", "ramp")
@attrs.frozen(kw_only=True)
class Ramp:
    """From `start` to `end` in a straight line over `steps` steps; then `end` for ever."""

    start: float = param(default=1.0, doc="value at step 0")
    end: float = param(default=0.05, doc="value from step `steps` on")
    steps: int = param(default=100, ge=1, doc="how long the way takes", unit="steps")

    def __call__(self, step):
        share = min(step / self.steps, 1.0)
        return self.start + share * (self.end - self.start)
