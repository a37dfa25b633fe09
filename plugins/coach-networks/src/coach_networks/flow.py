"""What a call of a network brings along besides inputs and weights: noise, training, the length of sequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import prod
from typing import Any

import attrs

from coach_networks import ops
from coachcore.api import Tensor


@attrs.frozen(kw_only=True)
class Flow:
    """How the layers of a network are to behave while it is called.

    `normal` gives standard normal numbers of a shape, other ones at each call; without it
    noisy layers stand at their means. `training` lets dropout drop, and batch norm look at
    the batch; it then leaves its new statistics in `moved`. The rows of a batch
    are sequences of `sequence` steps each, one behind the other. Of heads that are several networks side by
    side, `only` one is computed. `compiled` means as a whole: operations cost what they work out, not what
    it takes to start them.
    """

    normal: Callable[[tuple[int, ...]], Tensor] | None = None
    training: bool = False
    sequence: int = 1
    only: int | None = None
    compiled: bool = False
    moved: list[Any] = attrs.field(factory=list)


class Noise:
    """Standard normal numbers ``[Z]`` handed out piece by piece, from `start` on.

    Without numbers it gives zeros and only counts: `used` says how many are asked for.
    """

    def __init__(self, numbers: Tensor | None, start: int = 0) -> None:
        self._numbers, self._start, self.used = numbers, start, 0

    def __call__(self, shape: tuple[int, ...]) -> Tensor:
        place, self.used = self._start + self.used, self.used + prod(shape)
        if self._numbers is None:
            return ops.zeros(shape)
        return ops.reshape(self._numbers[place : place + prod(shape)], shape)


_STILL = Flow()
_current: ContextVar[Flow] = ContextVar("flow", default=_STILL)


def current() -> Flow:
    """The flow of the call that is being made; a plain one outside of any."""
    return _current.get()


@contextmanager
def flowing(flow: Flow) -> Iterator[Flow]:
    """Layers called inside behave as `flow` says."""
    token = _current.set(flow)
    try:
        yield flow
    finally:
        _current.reset(token)
