"""The recorder `jsonl`: every event as one line of JSON, the source of truth of a run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any

import attrs

from coach_records.appending import Appended
from coachcore.api import BadData, Event, RunInfo, component

NAME = "events.jsonl"


@component("recorder", "jsonl")
@attrs.frozen(kw_only=True)
class JsonLines:
    """Every event as one JSON object a line, in ``events.jsonl``.

    Keys: ``kind``, ``step``, ``episode``, ``update``, ``data`` (see
    `coachcore.events.Event`) and ``at``, the time of writing (ISO 8601, UTC) and
    the only thing that differs between two equal runs. A number that is not
    finite is written as text (``"nan"``, ``"inf"``, ``"-inf"``), so that every
    line is standard JSON. `read` reads the file back.
    """

    def open(self, folder: Path, info: RunInfo, mark: Any = None) -> JsonSink:
        """Start `folder`/events.jsonl anew, or go on from byte `mark`."""
        return JsonSink(Appended(folder / NAME, mark))


class JsonSink:
    """An open events.jsonl."""

    def __init__(self, file: Appended) -> None:
        self._file = file

    def event(self, event: Event) -> None:
        """Append one line; pictures (``frame``) are not for this file."""
        if event.kind == "frame":
            return
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({**event._asdict(), "data": _plain(event.data), "at": at}, allow_nan=False)
        self._file.append(line.encode() + b"\n")

    def mark(self) -> int:
        """The length of the file in bytes, all of it on disk."""
        return self._file.mark()

    def close(self) -> None:
        self._file.close()


def _plain(value: Any) -> Any:
    """JSON data: numbers of NumPy become Python's, those that are not finite become text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The events of a file, in order, each as its JSON object.

    A last line without its end (the process was killed while writing it) is
    left out. Raises `BadData` for any other line that is not JSON.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                yield json.loads(line)
            except ValueError as error:
                raise BadData(
                    f"not a line of JSON ({error}) - was the file edited?", where=f"{path}:{number}"
                ) from error
