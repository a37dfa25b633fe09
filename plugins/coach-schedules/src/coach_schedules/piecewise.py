"""A schedule made of schedules, one after the other."""

from __future__ import annotations

from typing import Any

import attrs

from coach_schedules.counting import counted, per_param
from coachcore.api import BadSetting, Schedule, component, param


@component("schedule", "piecewise", aliases=("PieceWiseSchedule",), values=("schedules",))
@attrs.frozen(kw_only=True)
class Piecewise:
    """Each piece in turn, counting its own steps from 0; the last one runs for ever.

    A piece of length n answers for exactly n steps, or episodes or updates with
    `per`, and all pieces count the same. A piece may be made of pieces itself.
    The old PieceWiseSchedule changed over one step too late each time.
    """

    schedules: tuple[Schedule, ...] = param(type="schedule[]", doc="the pieces, in order; a number is a constant piece")
    steps: tuple[int, ...] = param(default=(), doc="length of every piece but the last, in what `per` counts", ge=1)
    per: str = per_param()

    def __attrs_post_init__(self) -> None:
        if not self.schedules:
            raise BadSetting("there are no pieces - give one or more", where="schedules")
        pieces, lengths = len(self.schedules), len(self.steps)
        if pieces != lengths + 1:
            raise BadSetting(
                f"{pieces} pieces need {pieces - 1} lengths, got {lengths} - every piece but the last has one",
                where="steps",
            )
        for place, piece in enumerate(self.schedules):
            own = getattr(piece, "per", "steps")
            if own not in ("steps", self.per):
                raise BadSetting(
                    f'piece {place} goes by {own}, the whole by {self.per} - give per = "{own}" to the whole, '
                    "its pieces count what it counts",
                    where="schedules",
                )

    def __call__(self, step: float) -> float:
        step = counted(step, self.per)
        piece: Any
        for piece, length in zip(self.schedules, self.steps, strict=False):
            if step < length:
                return float(piece(step))
            step -= length
        return float(self.schedules[-1](step))
