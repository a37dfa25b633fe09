"""What an operation of an acting program is, and how its facts are read and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from operator import index
from typing import Any, NamedTuple

import numpy as np

from coachcore.errors import BadCheckpoint
from coachcore.types import Array

Shape = tuple[int, ...]
Step = Callable[[], object]
Facts = Mapping[str, Any]

_FINITE = float(np.finfo(np.float32).max)


class Operation(NamedTuple):
    """One row of `OPERATIONS`.

    `shape` works out the shape of the output, without the batch axis, from the facts and the
    shapes of inputs and weights, and raises whatever it likes when they make no sense. `step`
    makes what is run at each call, into a buffer; None: only a new shape of the same data.
    `noisy` makes the same for a call that draws noise: the last array is the program's
    whole noise.
    """

    shape: Callable[[Facts, Sequence[Shape], Sequence[Shape]], Shape]
    step: Callable[[Facts, list[Array], Array, list[Array]], Step] | None
    noisy: Callable[[Facts, list[Array], Array, list[Array], Array], Step] | None = None


def refusal(facts: Facts, why: str) -> BadCheckpoint:
    """The error to raise for an operation that makes no sense."""
    return BadCheckpoint(f"operation '{facts['op']}' {why}")


def number(facts: Facts, name: str, default: float | None = None) -> float:
    """A fact that is a finite float32 number."""
    value = float(facts[name] if default is None else facts.get(name, default))
    if not abs(value) <= _FINITE:
        raise refusal(facts, f"needs a finite {name}, got {value}")
    return value


def bounds(facts: Facts, low: Any, high: Any) -> tuple[Array, Array]:
    """Two bounds in order as float32 ``[]``; an infinite one bounds nothing."""
    if not (float(low) <= float(high) and float(low) < inf and float(high) > -inf):
        raise refusal(facts, f"needs bounds low <= high, got {low} and {high}")
    with np.errstate(over="ignore"):  # a number beyond float32 bounds nothing either
        return np.array(low, np.float32), np.array(high, np.float32)


def whole(facts: Facts, name: str) -> int:
    """A fact that counts something: 0 or more."""
    value = index(facts[name])
    if value < 0:
        raise refusal(facts, f"needs a {name} of 0 or more, got {value}")
    return value


def weight(facts: Facts, name: str, weights: Sequence[Shape], wanted: Shape | None = None) -> Shape:
    """The shape of the weight at the position that a fact gives; it must be the `wanted` one, if any is."""
    shape = weights[whole(facts, name)]
    if wanted is not None and shape != wanted:
        raise refusal(facts, f"needs a {name} of shape {wanted}, got {shape}")
    return shape
