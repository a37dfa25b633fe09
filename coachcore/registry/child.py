"""The child's side of a probe: imports what it is told to and writes down, line by line, how that went."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, TextIO

from coachcore.registry.hookspecs import PROJECT
from coachcore.registry.isolate import cause, load_object, muffled
from coachcore.registry.manifest import to_json
from coachcore.specs import ComponentSpec


def main(arguments: list[str]) -> None:
    """Probe every value after the first argument, which names the file to write to.

    A line is flushed before each import, so that the parent knows which one
    ended or stopped this process.
    """
    with Path(arguments[0]).open("a", encoding="utf-8") as out:
        for value in arguments[1:]:
            _say(out, {"begun": value})
            _say(out, _probed(value))


def _say(out: TextIO, line: dict[str, Any]) -> None:
    out.write(json.dumps(line) + "\n")
    out.flush()


def _probed(value: str) -> dict[str, Any]:
    before = dict(os.environ)
    found: dict[str, Any] = {"value": value, "error": ""}
    with muffled() as streams:
        try:
            found |= _described(load_object(value, "it"))
        except BaseException as error:  # noqa: BLE001 - reported to the parent, whatever it is
            found["error"] = cause(error.__cause__ or error) + _place(error.__cause__)
    changed = {name for name in before.keys() | os.environ.keys() if before.get(name) != os.environ.get(name)}
    return found | {"printed": "".join(stream.kept for stream in streams)[:500], "changed": sorted(changed)}


def _described(loaded: Any) -> dict[str, Any]:
    spec = getattr(loaded, "__coach__", None)
    if isinstance(spec, ComponentSpec):
        table = to_json(spec)
        json.dumps(table)  # facts that are not plain data fail here, where the part is known
        return {"spec": table}
    marked = any(hasattr(getattr(loaded, name, None), f"{PROJECT}_impl") for name in dir(loaded))
    return {"hooks": marked}


def _place(error: BaseException | None) -> str:
    """Where in the plugin it happened: the innermost frame, as ``(file.py:3)``."""
    trace = error.__traceback__ if error else None
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or "importlib" in trace.tb_frame.f_code.co_filename:
        return ""
    return f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})"
