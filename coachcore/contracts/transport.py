"""Transports: how blocks of experience travel from workers to the trainer."""

from __future__ import annotations

from typing import Protocol


class Transport(Protocol):
    """A queue of framed blocks between processes.

    Must keep true: a block is delivered whole or not at all, in the order its
    worker sent it; a full queue makes the sender wait, it never drops.
    """

    def send(self, worker: str, number: int, block: bytes) -> None:
        """Hand over block `number` of `worker`; sending the same number again changes nothing."""
        ...

    def receive(self, seconds: float) -> tuple[str, int, bytes] | None:
        """The next block, or None when none came within `seconds`."""
        ...

    def acknowledge(self, worker: str, number: int) -> None:
        """Everything of `worker` up to `number` is in the learner's checkpointed state."""
        ...

    def close(self) -> None: ...
