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
    """The space of ``change(values)``, where `change` takes ``[M, *shape]`` and only picks or moves components.

    Names go with the places of the last axis, as long as these are still the places of one axis.
    """
    low, high = (change(bound[None])[0] for bound in (before.low, before.high))
    names: tuple[str, ...] = ()
    if before.names and low.ndim:
        places = np.broadcast_to(np.arange(len(before.names)), before.shape)
        last = change(places[None])[0].reshape(-1, low.shape[-1])
        if (last == last[0]).all():
            names = tuple(before.names[place] for place in last[0])
    return attrs.evolve(before, shape=low.shape, low=low, high=high, names=names)


def axis_of(part: str, axis: int, before: Box) -> int:
    """`axis` counted from the front; -1 is the last. Raises `Mismatch` where there is none such."""
    rank = len(before.shape)
    if not -rank <= axis < rank:
        raise Mismatch(
            f"there is no axis {axis} in values of shape {before.shape} - axes go from {-rank} to {rank - 1}",
            where=part,
        )
    return axis % rank
