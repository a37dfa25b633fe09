"""Bounds as settings: numbers or vectors, kept as float32 because that is what they are compared with."""

from __future__ import annotations

import numpy as np

from coachcore.api import Array, BadSetting, Box, FloatOrVector, Mismatch, Space


def pair(low: FloatOrVector, high: FloatOrVector) -> tuple[Array, Array]:
    """Both bounds as float32 arrays of one shape, ``[]`` or ``[n]``; raises `BadSetting` unless low <= high."""
    try:
        lower, upper = np.broadcast_arrays(np.asarray(low, np.float32), np.asarray(high, np.float32))
    except ValueError:
        sizes = f"low has {np.size(low)} numbers and high {np.size(high)}"
        raise BadSetting(f"{sizes} - give as many, or one", where="low") from None
    if not np.all(lower <= upper):
        raise BadSetting(f"low must not lie above high, got low {low} and high {high}", where="low")
    return lower.copy(), upper.copy()


def fitting_box(part: str, bound: Array, before: Space) -> Box:
    """`before`, if it is a box that `bound` can be spread over; raises `Mismatch` otherwise."""
    if not isinstance(before, Box):
        raise Mismatch(f"{part} needs a space of real numbers (a box), got {before}", where=part)
    if bound.ndim and (not before.shape or bound.shape[0] not in (1, before.shape[-1])):
        raise Mismatch(
            f"{bound.shape[0]} bounds do not fit values of shape {before.shape} - "
            "give one number, or one for each component",
            where=part,
        )
    return before


def bounded_box(part: str, before: Space) -> Box:
    """`before`, if it is a box with finite bounds; raises `Mismatch` otherwise."""
    if not isinstance(before, Box) or not before.bounded:
        raise Mismatch(f"{part} needs an action space of real numbers with finite bounds, got {before}", where=part)
    return before


def within(points: Array, low: Array, high: Array) -> Array:
    """The nearest float32 numbers to `points` ``[N, *shape]`` that do not pass the float64 bounds ``[*shape]``."""
    near = np.minimum(np.maximum(points, low), high).astype(np.float32)
    near = np.where(near > high, np.nextafter(near, np.float32(-np.inf)), near)
    return np.where(near < low, np.nextafter(near, np.float32(np.inf)), near)
