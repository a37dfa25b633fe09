"""What filters of pictures share: which spaces are pictures, and a space whose components change places."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from coachcore.api import Array, Box, Mismatch, Space


def boxed(part: str, before: Space) -> Box:
    """`before`, if it is a box; raises `Mismatch` otherwise."""
    if not isinstance(before, Box):
        raise Mismatch(f"{part} needs a space of real numbers (a box), got {before}", where=part)
    return before


def rearranged(before: Box, change: Callable[[Array], Array]) -> Box:
    """The space of ``change(values)``, where `change` takes ``[M, *shape]`` and only picks or moves components."""
    low, high = (change(bound[None])[0] for bound in (before.low, before.high))
    names: tuple[str, ...] = ()
    if before.names:
        names = tuple(change(np.array(before.names).reshape(1, *before.shape)).ravel().tolist())
    return attrs.evolve(before, shape=low.shape, low=low, high=high, names=names)


def axis_of(part: str, axis: int, before: Box) -> int:
    """`axis` counted from the front; -1 is the last. Raises `Mismatch` where there is none such."""
    rank = len(before.shape)
    if not -rank <= axis < rank:
        raise Mismatch(f"there is no axis {axis} in values of shape {before.shape}", where=part)
    return axis % rank
