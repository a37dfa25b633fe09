"""Values that change with training."""

from __future__ import annotations

from typing import Any

import attrs

from coach_bridge.things import Span, Thing
from coach_bridge.work import Work, shown


@attrs.frozen
class Scale:
    """What a schedule's values are multiplied by, and its steps."""

    value: float = 1.0
    steps: float = 1.0

    def of(self, number: float) -> float:
        """A value, rounded so that 0.2 times 3 is 0.6."""
        return float(f"{number * self.value:.12g}")

    def long(self, steps: float) -> int:
        return max(1, round(steps * self.steps))


def schedule(work: Work, value: Any, line: int, scale: Scale) -> Any:
    """A number, or the table of a schedule; None where it cannot be told, which is said."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return scale.of(value)
    known = {
        "ConstantSchedule": _constant,
        "LinearSchedule": _linear,
        "ExponentialSchedule": _exponential,
        "PieceWiseSchedule": _piecewise,
    }
    if isinstance(value, Thing) and value.name in known:
        found = known[value.name](work, value, scale)
        if found is not None:
            return found
    work.lost(line, f"{shown(value)} cannot be read as a schedule - write it with numbers")
    return None


def _numbers(thing: Thing, *names: str) -> list[float] | None:
    given = [thing.take(name, place) for place, name in enumerate(names)]
    sound = all(isinstance(one, int | float) and not isinstance(one, bool) for one in given)
    return [*given] if sound else None


def _constant(_work: Work, thing: Thing, scale: Scale) -> Any:
    found = _numbers(thing, "initial_value")
    return scale.of(found[0]) if found else None


def _linear(_work: Work, thing: Thing, scale: Scale) -> Any:
    found = _numbers(thing, "initial_value", "final_value", "decay_steps")
    if not found:
        return None
    start, end, steps = found
    if start == end:
        return scale.of(start)
    return {"use": "linear", "start": scale.of(start), "end": scale.of(end), "steps": scale.long(steps)}


def _exponential(_work: Work, thing: Thing, scale: Scale) -> Any:
    found = _numbers(thing, "initial_value", "final_value", "decay_coefficient")
    if not found:
        return None
    factor = found[2] ** (1 / scale.steps)
    return {"use": "exponential", "start": scale.of(found[0]), "end": scale.of(found[1]), "factor": factor}


def _piecewise(work: Work, thing: Thing, scale: Scale) -> Any:
    pieces = thing.take("schedules", 0)
    if not isinstance(pieces, list | tuple) or not pieces:
        return None
    schedules, steps = [], []
    for piece in pieces:
        span = Span.of(piece[1]) if isinstance(piece, tuple) and len(piece) == 2 else None
        if span is None or span.unit != "steps":
            return None
        schedules.append(schedule(work, piece[0], thing.line, scale))
        steps.append(scale.long(span.amount))
    return None if None in schedules else {"use": "piecewise", "schedules": schedules, "steps": steps[:-1]}
