"""A schedule that is multiplied by the same factor at every step."""

from __future__ import annotations

import math

import attrs

from coach_schedules.constant import finite
from coach_schedules.counting import counted, per_param
from coachcore.api import BadSetting, component, param


@component("schedule", "exponential", aliases=("ExponentialSchedule",), values=("start", "end"))
@attrs.frozen(kw_only=True)
class Exponential:
    """``start * factor ** step`` until that reaches `end`, then `end` for ever.

    Raises `BadSetting` where the factor leads away from `end`, or `end` lies on
    the other side of 0 and so can never be reached. An `end` of 0 is approached.
    """

    start: float = param(doc="value at step 0, not 0", check=finite)
    end: float = param(doc="value that is never passed", check=finite)
    factor: float = param(doc="what each step multiplies by: below 1 shrinks, above 1 grows", gt=0, check=finite)
    per: str = per_param()

    def __attrs_post_init__(self) -> None:
        if self.start == 0 or self.end / self.start < 0:
            raise BadSetting(
                f"multiplying {self.start} never leads to {self.end} - start off 0, on the side of the end",
                where="start",
            )
        ratio = self.end / self.start
        if ratio != 1 and (self.factor == 1 or (ratio < 1) != (self.factor < 1)):
            way = "below" if ratio < 1 else "above"
            raise BadSetting(
                f"a factor of {self.factor} leads from {self.start} away from {self.end} - use one {way} 1",
                where="factor",
            )

    def __call__(self, step: float) -> float:
        done = counted(step, self.per)
        return float(self.end) if done >= self._length else self.start * self.factor**done

    @property
    def _length(self) -> float:
        """The step at which `end` is reached; also keeps the power from overflowing."""
        if self.end == self.start:
            return 0.0
        return math.inf if self.end == 0 else math.log(self.end / self.start) / math.log(self.factor)
