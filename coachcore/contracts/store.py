"""Stores: where policies and checkpoints are published for other processes to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol


class Store(Protocol):
    """Bytes by name.

    Must keep true: `put` is atomic (a reader sees the old bytes or the new ones,
    never a mixture, and listing shows no name that was not put); what `get` returns was put as a
    whole; listing needs no cache; a name is any text.
    """

    def put(self, name: str, data: bytes) -> None: ...

    def get(self, name: str) -> bytes:
        """The bytes last put; raises `BadCheckpoint` when there are none."""
        ...

    def names(self, prefix: str = "") -> Iterator[str]:
        """Every name that starts with `prefix`, sorted."""
        ...

    def delete(self, name: str) -> None:
        """Forget `name`; deleting what is not there is no error."""
        ...
