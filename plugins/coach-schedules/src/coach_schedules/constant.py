"""A schedule that stays where it is."""

from __future__ import annotations

import math

import attrs

from coachcore.api import BadSetting, component, param


def finite(_part: object, field: attrs.Attribute[float], value: float) -> None:
    """Attrs validator: refuse infinities and NaN, which no training step can use."""
    if not math.isfinite(value):
        raise BadSetting(f"{value} is not a finite number - give an ordinary one", where=field.name)


@component("schedule", "constant", aliases=("ConstantSchedule",), values=("value",))
@attrs.frozen(kw_only=True)
class Constant:
    """The same value at every step; a plain number in a preset means this."""

    value: float = param(doc="the value at every step", check=finite)

    def __call__(self, step: float) -> float:
        return float(self.value)
