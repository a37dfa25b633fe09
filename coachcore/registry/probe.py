"""Importing plugins in a child process with a time limit, so that nothing they do can reach this one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from coachcore.errors import BrokenPlugin
from coachcore.registry.entry import Entry
from coachcore.registry.manifest import spec_from
from coachcore.specs import ComponentSpec

CHILD = "import sys; from coachcore.registry.child import main; main(sys.argv[1:])"
LIMIT = 60.0
"""Seconds a child may take; importing TensorFlow alone takes several on a slow machine."""


class Finding(NamedTuple):
    """What importing one entry point's value did."""

    value: str
    error: str = ""  # why it failed, in one line
    spec: ComponentSpec | None = None  # what a part says about itself
    hooks: bool = False  # does it implement hooks?
    printed: str = ""
    changed: tuple[str, ...] = ()  # environment variables


def probe(values: Sequence[str], *, limit: float = LIMIT, path: Sequence[str] = ()) -> tuple[Finding, ...]:
    """Import `values` in order in a child process, with `path` before the module search path.

    When the child dies the rest goes to a new one; when it hangs, past `limit`
    seconds, the rest is not tried.
    """
    findings: list[Finding] = []
    while len(findings) < len(values):
        lines, fate = _run(values[len(findings) :], limit, path)
        findings += [_finding(line) for line in lines if "value" in line]
        if fate and len(findings) < len(values):
            findings.append(Finding(values[len(findings)], fate))
        if fate.startswith("hangs"):
            findings += [
                Finding(value, "not tried, since the one before it hangs") for value in values[len(findings) :]
            ]
    return tuple(findings)


def describe(entry: Entry, *, limit: float = LIMIT) -> ComponentSpec:
    """A part's own spec, read from its class in a child process; raises `BrokenPlugin`."""
    (finding,) = probe([entry.spec.object], limit=limit)
    if finding.error:
        raise BrokenPlugin(f"its settings cannot be read - {finding.error}", where=entry.id)
    if finding.spec is None:
        raise BrokenPlugin(f"{entry.spec.object} is not a class marked by @component", where=entry.id)
    return finding.spec


def _run(values: Sequence[str], limit: float, path: Sequence[str]) -> tuple[list[dict[str, Any]], str]:
    """The lines the child wrote, and what became of it (empty: it finished)."""
    search = [*path, *(folder or str(Path.cwd()) for folder in sys.path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(search)}
    with TemporaryDirectory(prefix="coach-") as folder:
        report = Path(folder, "report")
        report.touch()
        # an author's tree changes: two versions of one size in one second would share a .pyc
        keep = ["-B"] if path else []
        command = [sys.executable, "-P", *keep, "-c", CHILD, str(report), *values]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        try:
            code = subprocess.run(command, env=environment, timeout=limit, check=False, **quiet).returncode  # type: ignore[call-overload]
        except subprocess.TimeoutExpired:
            fate = f"hangs: not imported within {limit:g} s"
        else:
            fate = _fate(code)
        lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    return lines, fate or ("" if len(lines) == 2 * len(values) else "ends the process with code 0 when imported")


def _fate(code: int) -> str:
    if code < 0:
        return f"kills the process when imported ({signal.Signals(-code).name})"
    return f"ends the process with code {code} when imported" if code else ""


def _finding(line: dict[str, Any]) -> Finding:
    spec = spec_from(line["spec"]) if "spec" in line else None
    hooks, changed = line.get("hooks", False), tuple(line["changed"])
    return Finding(line["value"], line["error"], spec, hooks, line["printed"].strip(), changed)
