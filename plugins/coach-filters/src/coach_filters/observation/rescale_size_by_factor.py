"""Make pictures smaller or larger by a factor."""

from __future__ import annotations

import math

import attrs

from coach_filters.resizing import limits, picture, resized, resized_box
from coachcore.api import Array, BadSetting, Box, Mismatch, Rows, Space, State, component, param


def _finite(_part: object, field: attrs.Attribute[float], value: float) -> None:
    if not math.isfinite(value):
        raise BadSetting(f"no picture has {value} times its size - give a finite factor", where=field.name)


@component(
    "filter",
    "rescale-size-by-factor",
    aliases=("ObservationRescaleSizeByFactorFilter",),
    acts_on="observation",
)
@attrs.frozen(kw_only=True)
class RescaleSizeByFactor:
    """Height and width times `factor`, each new pixel the mean of the old ones under it: ``[H, W(, C)]``.

    Sides are rounded to the nearest whole number of pixels. Pictures may have any
    number of channels, and numbers stay numbers (the old filter took one or three
    channels, and bytes only).
    """

    factor: float = param(gt=0, doc="new height and width, in old ones", check=_finite)

    def space(self, before: Space) -> Box:
        box = picture("rescale-size-by-factor", before)
        size = self._size(box.shape)
        if 0 in size:
            raise Mismatch(
                f"nothing is left of {box.shape[0]} x {box.shape[1]} pixels times {self.factor:g} - use a larger one",
                where="rescale-size-by-factor",
            )
        return resized_box(box, size)

    def init(self, before: Space, count: int) -> State:
        """The bounds of the space, which rounding must not pass; none for bytes."""
        return limits(picture("rescale-size-by-factor", before))

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        return state, resized(values, self._size(values.shape[1:]), state)

    def _size(self, shape: tuple[int, ...]) -> tuple[int, int]:
        return math.floor(shape[0] * self.factor + 0.5), math.floor(shape[1] * self.factor + 0.5)
