"""A schedule made of schedules, one after the other."""

from __future__ import annotations

from typing import Any

import attrs

from coachcore.api import BadSetting, Schedule, component, param


@component("schedule", "piecewise", aliases=("PieceWiseSchedule",))
@attrs.frozen(kw_only=True)
class Piecewise:
    """Each piece in turn, counting its own steps from 0; the last one runs for ever.

    A piece of length n answers for exactly n steps. The old PieceWiseSchedule
    changed over one step too late each time.
    """

    schedules: tuple[Schedule, ...] = param(type="schedule[]", doc="the pieces, in order; a number is a constant piece")
    steps: tuple[int, ...] = param(default=(), doc="length of every piece but the last", ge=1, unit="steps")

    def __attrs_post_init__(self) -> None:
        pieces, lengths = len(self.schedules), len(self.steps)
        if pieces != lengths + 1:
            raise BadSetting(
                f"{pieces} pieces need {max(pieces - 1, 0)} lengths, got {lengths} - every piece but the last has one",
                where="steps",
            )

    def __call__(self, step: float) -> float:
        piece: Any
        for piece, length in zip(self.schedules, self.steps, strict=False):
            if step < length:
                return float(piece(step))
            step -= length
        return float(self.schedules[-1](step))
