"""Make pictures of a given size."""

from __future__ import annotations

import attrs

from coach_filters.resizing import limits, picture, resized, resized_box
from coachcore.api import Array, BadSetting, Box, Rows, Space, State, component, param


@component("filter", "rescale-to-size", aliases=("ObservationRescaleToSizeFilter",), acts_on="observation")
@attrs.frozen(kw_only=True)
class RescaleToSize:
    """Each new pixel is the mean of the old ones under it, by area: ``[H, W(, C)] -> [h, w(, C)]``.

    Two small matrices do it, one along each side, so that no library of pictures
    is needed. Bytes stay bytes, rounded to the nearest. Every channel is treated
    alike (the old filter smoothed pictures and maps differently and cut digits off).
    """

    size: tuple[int, ...] = param(ge=1, doc="new height and width", unit="pixels")

    def __attrs_post_init__(self) -> None:
        if len(self.size) != 2:
            raise BadSetting(f"size is height and width, such as [84, 84], got {list(self.size)}", where="size")

    def space(self, before: Space) -> Box:
        return resized_box(picture("rescale-to-size", before), self.size)

    def init(self, before: Space, count: int) -> State:
        """The bounds of the space, which rounding must not pass; none for bytes."""
        return limits(picture("rescale-to-size", before))

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        return state, resized(values, self.size, state)
