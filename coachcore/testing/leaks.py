"""What a part must not leave behind: environment variables, a moved global random state, threads, open files."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coachcore.testing.laws import same

OPEN = Path("/proc/self/fd")
"""Where Linux lists the files that a process has open; elsewhere they are not watched."""
PATIENCE = 2.0
"""Seconds given to a thread that is on its way out."""
OURS = ("PYTEST_CURRENT_TEST",)


class LeftBehind(AssertionError):
    """Something was left behind."""


class Traces(NamedTuple):
    """What a process has about it that others share."""

    variables: dict[str, str]
    numpy_state: Any
    python_state: Any
    threads: frozenset[threading.Thread]
    files: frozenset[str]


def traces() -> Traces:
    """Those of this process, now."""
    plain = sys.modules.get("random")  # read, never moved: who has not imported it cannot have moved it
    return Traces(
        {name: value for name, value in os.environ.items() if name not in OURS},
        np.random.get_state(legacy=False),  # noqa: NPY002 - watched over, not used
        plain.getstate() if plain is not None else None,
        frozenset(threading.enumerate()),
        frozenset(_open_files()),
    )


def _open_files() -> Iterator[str]:
    """Ordinary files that are open, by path; pipes, sockets, devices and captured output left out."""
    for link in OPEN.iterdir() if OPEN.is_dir() else ():
        try:
            target = str(link.readlink())
        except OSError:  # the listing itself had it open
            continue
        if target.startswith("/") and not target.startswith(("/dev", "/proc", "/memfd")) and "(deleted)" not in target:
            yield target


def left_behind(before: Traces) -> list[str]:
    """What differs since `before`, one sentence each."""
    for thread in set(threading.enumerate()) - before.threads - {threading.current_thread()}:
        thread.join(PATIENCE)
    now = traces()
    names = before.variables.keys() | now.variables.keys()
    changed = sorted(name for name in names if before.variables.get(name) != now.variables.get(name))
    found = [f"environment variables were changed: {', '.join(changed)}"] if changed else []
    if not same(before.numpy_state, now.numpy_state):
        found.append("NumPy's global random state was moved: draw from the generator that is handed over")
    if before.python_state is not None and before.python_state != now.python_state:
        found.append("Python's global random state was moved: draw from the generator that is handed over")
    threads = sorted(thread.name for thread in now.threads - before.threads)
    found += [f"threads are still running: {', '.join(threads)}"] if threads else []
    files = sorted(now.files - before.files)
    found += [f"files are still open: {', '.join(files)}"] if files else []
    return found


@contextmanager
def nothing_left_behind() -> Iterator[None]:
    """Raise `LeftBehind` where the block leaves traces in its process; an error of the block itself comes first.

    Environment variables are put back, so that the next test does not suffer from them.
    """
    before = traces()
    yield
    found = left_behind(before)
    if found:
        for name in os.environ.keys() - before.variables.keys() - set(OURS):
            del os.environ[name]
        os.environ.update(before.variables)
        raise LeftBehind("; ".join(found))
