"""Recorders: whoever writes down or shows what happened."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from coachcore.events import Event, RunInfo


class Sink(Protocol):
    """An open recorder.

    Must keep true: it reads events and changes nothing; what it wrote before
    `mark` survives being killed; opened again at a mark, it goes on as if
    nothing after the mark had been written.
    """

    def event(self, event: Event) -> None:
        """Take note of one event; called between steps, in order."""
        ...

    def mark(self) -> Any:
        """Flush, and say how far the record goes: plain JSON data that a checkpoint keeps."""
        ...

    def close(self) -> None: ...


class Recorder(Protocol):
    """The part: settings of a recorder."""

    def open(self, folder: Path, info: RunInfo, mark: Any = None) -> Sink:
        """Start recording into `folder`, or go on from `mark` in a resumed run (drop what came after it)."""
        ...
