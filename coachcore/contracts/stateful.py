"""What a thing that changes in place must offer so that a stopped run can continue exactly."""

from __future__ import annotations

from typing import Protocol

from coachcore.types import State


class Stateful(Protocol):
    """Must keep true: after `b.restore(a.state())` nothing that a and b do differs, bit for bit."""

    def state(self) -> State:
        """Everything that changes, as (nested) dicts and lists of arrays, numbers and text."""
        ...

    def restore(self, state: State) -> None:
        """Become what `state` describes; raises `BadCheckpoint` when it does not fit."""
        ...
