"""How much a memory holds: so many transitions, or as many as go into so many bytes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from coach_memories.planes import SPARE, pictures_of
from coachcore.api import BadSetting, Layout, param

_UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
_SIZE = re.compile(r"([0-9][0-9_]*(?:\.[0-9]+)?)\s*([A-Za-z]+)")
_WAY = 'write a number of transitions, or bytes such as "2 GB" (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)'


def _check(_part: Any, field: Any, value: int | str) -> None:
    if isinstance(value, str) and bytes_in(value) < 1:
        raise BadSetting(f"{value!r} is no size - {_WAY}", where=field.name)


def capacity_setting(default: int = 1_000_000) -> Any:
    """The setting of a memory that says how much it holds."""
    return param(
        default=default,
        ge=1,
        check=_check,
        doc='transitions kept, or the bytes they may take, such as "2 GB"; the oldest leave first',
        unit="transitions",
    )


def bytes_in(size: str) -> int:
    """``"1.5 GiB"`` -> 1610612736; 0 for what is no size."""
    found = _SIZE.fullmatch(size.strip())
    if found is None or found[2].upper() not in _UNITS:
        return 0
    return int(float(found[1].replace("_", "")) * _UNITS[found[2].upper()])


def bytes_of(layout: Layout) -> float:
    """What a transition takes, stacks of frames counted by their planes (`Planes`)."""
    pictures = pictures_of(layout).values()
    each = 4 * layout.width + sum(np.dtype(c.dtype).itemsize * c.size for c in layout.apart)
    each -= sum(2 * height * width * deep for height, width, deep in pictures)
    return each + sum(height * width * (1 + 1 / SPARE) + 8 * deep + 4 for height, width, deep in pictures)


def transitions(capacity: int | str, layout: Layout, beside: int = 0) -> int:
    """How many transitions of `layout` that is, where a memory keeps `beside` bytes more for each.

    Raises `BadSetting` for less than one.
    """
    if isinstance(capacity, int):
        return capacity
    each = bytes_of(layout) + beside
    if each > bytes_in(capacity):
        raise BadSetting(
            f"'{capacity}' is less than one transition, which takes {each:.0f} bytes - raise it",
            where="memory.capacity",
        )
    return int(bytes_in(capacity) // each)
