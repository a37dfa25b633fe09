"""Which classes can be changed after they were made: asked of the classes, in a child process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import attrs

CHILD = "import sys; from coach_author.frozen import main; main(sys.argv[1:])"
MARK = "COACH-UNFROZEN "
"""Before the answer, since what is imported may print."""


def unfrozen(values: Sequence[str], sources: Sequence[str], limit: float) -> tuple[str, ...]:
    """Those of `values` (``package.module:Class``, importable from `sources`) whose fields can be set."""
    if not values:
        return ()
    search = [*sources, *(folder or str(Path.cwd()) for folder in sys.path)]
    done = subprocess.run(
        [sys.executable, "-P", "-B", "-c", CHILD, *values],  # -B: the tree is changing
        env=os.environ | {"PYTHONPATH": os.pathsep.join(search)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=limit,
        check=True,
    )
    return tuple(json.loads(done.stdout.rpartition(MARK)[2]))


def main(values: Sequence[str]) -> None:
    """The child's side: one line of JSON."""
    sys.stdout.write(f"{MARK}{json.dumps(list(_unfrozen(values)))}\n")


def _unfrozen(values: Sequence[str]) -> Iterator[str]:
    for value in values:
        module, _, name = value.partition(":")
        cls = attrgetter(name)(import_module(module))  # a class may lie in another one
        if cls.__setattr__ not in (attrs.setters.frozen, _frozen_setattr()):
            yield value


def _frozen_setattr() -> object:
    """How attrs refuses to set a field of a frozen class."""

    @attrs.frozen
    class Probe:
        pass

    return Probe.__setattr__
