"""Lines of a grid over a box."""

from __future__ import annotations

from math import prod

import attrs
import numpy as np

from coachcore.api import Array, BadSetting, Box, IntOrVector, Mismatch


def several(_part: object, field: attrs.Attribute[IntOrVector], bins: IntOrVector) -> None:
    """Refuse bins that leave nothing to choose from; raises `BadSetting`."""
    if prod(bins if isinstance(bins, tuple) else (bins,)) < 2:
        raise BadSetting(f"{bins} bins leave nothing to choose from - give 2 or more", where=field.name)


def bins_of(part: str, bins: IntOrVector, *boxes: Box) -> tuple[int, ...]:
    """A number of bins for each component of `boxes`; raises `Mismatch` where as many were not given."""
    wanted = sum(prod(box.shape) for box in boxes)
    given = bins if isinstance(bins, tuple) else (bins,) * wanted
    if len(given) != wanted:
        shapes = ", ".join(str(box.shape) for box in boxes)
        raise Mismatch(
            f"{len(given)} numbers of bins do not fit actions of shape {shapes} - give one, or one for each dimension",
            where=part,
        )
    return given


def edges_of(box: Box, counts: tuple[int, ...], *, whole: bool) -> list[Array]:
    """So many evenly spaced values from bound to bound for each component; cut down to whole numbers with `whole`."""
    ends = zip(box.low.ravel(), box.high.ravel(), counts, strict=True)
    lines = [np.linspace(low, high, count) for low, high, count in ends]
    return [np.trunc(line) for line in lines] if whole else lines
