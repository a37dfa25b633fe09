"""What a call of a network brings along besides inputs and weights: noise, training, the length of sequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import attrs

from coachcore.api import Tensor


@attrs.frozen(kw_only=True)
class Flow:
    """How the layers of a network are to behave while it is called.

    `normal` gives standard normal numbers of a shape, other ones at each call; without it
    noisy layers stand at their means. `training` lets dropout drop, and batch norm look at
    the batch; it then leaves its new statistics in `moved`. The rows of a batch
    are sequences of `sequence` steps each, one behind the other.
    """

    normal: Callable[[tuple[int, ...]], Tensor] | None = None
    training: bool = False
    sequence: int = 1
    moved: list[Any] = attrs.field(factory=list)


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
