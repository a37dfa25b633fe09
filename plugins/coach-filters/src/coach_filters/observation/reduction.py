"""Show the agent only some components of a vector, or some of the maps of a picture."""

from __future__ import annotations

import attrs
import numpy as np

from coach_filters.observation.shapes import rearranged
from coachcore.api import Array, BadSetting, Box, Mismatch, Rows, Space, State, component, did_you_mean, param

_WHERE = "reduction-by-sub-parts-name"


@component(
    "filter",
    "reduction-by-sub-parts-name",
    aliases=("ObservationReductionBySubPartsNameFilter", "ObservationReductionBySubPartsName"),
    acts_on="observation",
)
@attrs.frozen(kw_only=True)
class ReductionBySubPartsName:
    """Keep some components of a vector, or discard some: by name, or by place (from 0; -1 is the last).

    Of pictures ``[H, W, C]`` these are the maps. Give either `keep` or `discard`. What is left keeps its order,
    its names and its bounds. The old filter put names in the order that the
    user had given and the data in another, let unknown names pass and left the
    bounds alone.
    """

    keep: tuple[str | int, ...] = param(default=(), type="str | int | str[] | int[]", doc="components that remain")
    discard: tuple[str | int, ...] = param(default=(), type="str | int | str[] | int[]", doc="components that go")

    def __attrs_post_init__(self) -> None:
        for name in ("keep", "discard"):
            given = getattr(self, name)
            object.__setattr__(self, name, given if isinstance(given, tuple) else (given,))
        if bool(self.keep) == bool(self.discard):
            raise BadSetting("give the components to keep, or those to discard, and not both", where=_WHERE)

    def space(self, before: Space) -> Box:
        box = _named(before)
        kept = self._kept(box)
        return rearranged(box, lambda values: values[..., kept])

    def init(self, before: Space, count: int) -> State:
        """The places that remain, so that a step need not look them up."""
        return np.array(self._kept(_named(before)), np.int64)

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        return state, values[..., state]

    def _kept(self, box: Box) -> list[int]:
        meant = {_place(one, box) for one in self.keep or self.discard}
        kept = [place for place in range(box.shape[-1]) if (place in meant) == bool(self.keep)]
        if not kept:
            raise Mismatch(f"nothing is left when {list(self.discard)} go - leave one or more", where=_WHERE)
        return kept


def _named(before: Space) -> Box:
    if not isinstance(before, Box) or not before.shape:
        raise Mismatch(f"only components of vectors and pictures can be chosen from, got {before}", where=_WHERE)
    return before


def _place(part: str | int, box: Box) -> int:
    """Where the component lies, from 0; raises `Mismatch`."""
    if isinstance(part, str):
        if part not in box.names:
            hint = did_you_mean(part, box.names) if box.names else "they have no names here, give places such as 0"
            raise Mismatch(f"no component is called '{part}' - {hint}", where=_WHERE)
        return box.names.index(part)
    size = box.shape[-1]
    if not -size <= part < size:
        raise Mismatch(f"there is no component {part} - places go from 0 to {size - 1}", where=_WHERE)
    return part % size
