"""Cut a window out of an observation."""

from __future__ import annotations

import attrs

from coach_filters.observation.shapes import boxed, rearranged
from coachcore.api import Array, BadSetting, Box, Mismatch, Rows, Space, State, component, param

_FULL = -1


@component("filter", "crop", aliases=("ObservationCropFilter",), acts_on="observation")
@attrs.frozen(kw_only=True)
class Crop:
    """What lies from `low` up to, but not at, `high` along each axis: ``[h1 - l1, h2 - l2, ...]``.

    In `high`, -1 stands for the whole length of its axis. Give one number for each axis, or leave one side out.
    """

    low: tuple[int, ...] = param(default=(), ge=0, doc="first place kept along each axis; left out: 0")
    high: tuple[int, ...] = param(default=(), ge=-1, doc="first place no longer kept; -1: none; left out: none")

    def __attrs_post_init__(self) -> None:
        if not (self.low or self.high):
            raise BadSetting("there is nothing to cut off - give low, high or both", where="crop")
        if self.low and self.high and len(self.low) != len(self.high):
            raise BadSetting(f"low has {len(self.low)} numbers and high {len(self.high)} - give as many", where="crop")
        if any(_FULL != high <= low for low, high in zip(*self._edges(), strict=True)):
            raise BadSetting(
                f"nothing is left from low {self.low} to high {self.high} - let high lie above low", where="crop"
            )

    def space(self, before: Space) -> Box:
        box, (_, highs) = boxed("crop", before), self._edges()
        if len(highs) != len(box.shape):
            raise Mismatch(
                f"{len(highs)} edges do not fit values of shape {box.shape} - give one for each axis", where="crop"
            )
        inside = rearranged(box, self._cut)
        if any(high > size for high, size in zip(highs, box.shape, strict=True)) or 0 in inside.shape:
            raise Mismatch(f"the window {self.low} to {self.high} does not lie within {box.shape}", where="crop")
        return inside

    def init(self, before: Space, count: int) -> State:
        return None

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        return None, self._cut(values)

    def _edges(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return self.low or (0,) * len(self.high), self.high or (_FULL,) * len(self.low)

    def _cut(self, values: Array) -> Array:
        window = [slice(low, None if high == _FULL else high) for low, high in zip(*self._edges(), strict=True)]
        return values[(slice(None), *window)]
