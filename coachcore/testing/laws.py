"""What the conformance suites share: how a broken rule is said, and what a checkpoint does to a state."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from coachcore.component import spec_of
from coachcore.errors import CoachError
from coachcore.types import Array


def require(holds: bool, rule: str) -> None:
    """Raise `AssertionError` saying `rule` unless it `holds` (an `assert` that optimised Python keeps too)."""
    if not holds:
        raise AssertionError(rule)


def settings_are_frozen(part: Any, kind: str) -> None:
    """The part is marked as one of `kind`, and its settings are described and cannot be changed."""
    require(
        spec_of(part).kind == kind, f"{spec_of(part).name} is marked as a part of kind {spec_of(part).kind}, not {kind}"
    )
    bare = [spec.name for spec in spec_of(part).params or () if not spec.doc.strip()]
    require(not bare, f"every setting says what it is for: param(doc=...) is missing for {', '.join(bare)}")
    for field in attrs.fields(type(part)):
        try:
            setattr(part, field.name, getattr(part, field.name))
        except attrs.exceptions.FrozenInstanceError:
            continue
        raise AssertionError(f"settings never change: use @attrs.frozen, '{field.name}' could be set")


def saved(state: Any, where: str = "state") -> Any:
    """A deep copy as a checkpoint would hand it back: arrays copied, tuples as lists; objects are refused."""
    if isinstance(state, Mapping):
        require(all(isinstance(key, str) for key in state), f"{where}: the keys of a saved state are text")
        return {key: saved(value, f"{where}.{key}") for key, value in state.items()}
    if isinstance(state, list | tuple):
        return [saved(value, f"{where}[{place}]") for place, value in enumerate(state)]
    if isinstance(state, np.ndarray):
        require(state.dtype != object, f"{where}: an array of objects cannot be saved")
        return state.copy()
    plain = state is None or type(state) in (bool, int, float, str)
    require(
        plain, f"{where}: a state holds only None, numbers, text, arrays, dicts and lists, not {type(state).__name__}"
    )
    return state


def same(one: Any, other: Any) -> bool:
    """Whether two states are equal bit for bit (NaN equals NaN)."""
    return not differing(one, other)


def differing(one: Any, other: Any, where: str = "state") -> list[str]:
    """The paths at which two states are not equal bit for bit; a tuple equals the list it is saved as."""
    if isinstance(one, Mapping) and isinstance(other, Mapping) and one.keys() == other.keys():
        return [path for key in one for path in differing(one[key], other[key], f"{where}.{key}")]
    if isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [path for place, pair in pairs for path in differing(*pair, f"{where}[{place}]")]
    return [] if _equal(one, other) else [where]


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, Mapping | list | tuple) or isinstance(other, Mapping | list | tuple):
        return False
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return same_array(np.asarray(one), np.asarray(other))
    return bool(one == other) or (is_nan(one) and is_nan(other))


def is_nan(value: Any) -> bool:
    """Whether `value` is the float that is no number."""
    return isinstance(value, float) and math.isnan(value)


def same_array(one: Array, other: Array) -> bool:
    """Equal type, shape and bytes."""
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def sealed(state: Any) -> Any:
    """`saved`, with every array made read-only: writing to it raises `ValueError`."""
    copy = saved(state)
    _seal(copy)
    return copy


def _seal(state: Any) -> None:
    if isinstance(state, np.ndarray):
        state.flags.writeable = False
    elif isinstance(state, dict | list):
        for value in state.values() if isinstance(state, dict) else state:
            _seal(value)


def refuses(action: Any, kind: type[CoachError], rule: str) -> None:
    """Raise `AssertionError` saying `rule` unless calling `action` raises an error of `kind`."""
    try:
        action()
    except kind:
        return
    except Exception as error:
        raise AssertionError(f"{rule}; got {type(error).__name__}: {error}") from error
    raise AssertionError(f"{rule}; nothing was raised")


def chi_square_limit(freedom: int) -> float:
    """What a chi-square statistic passes in at most one of a million fair samples.

    Wilson and Hilferty 1931; a little too high for a few cells (by 10 % at `freedom` 2).
    """
    z = 4.7534  # the standard normal passes it with probability 1e-6
    spread = 2.0 / (9.0 * freedom)
    return float(freedom * (1.0 - spread + z * spread**0.5) ** 3)


def chi_square(counts: Array, expected: Array) -> float:
    """``sum((counts - expected)^2 / expected)`` over cells ``[n]``."""
    return float((np.square(counts - expected) / expected).sum())
