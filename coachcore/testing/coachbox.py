"""Made-up distributions in a folder of their own, and the `coach` command that sees these alone."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from coachcore.testing.made_up import made_up

CHILD = """
import sys
from coachcore.testing.coachbox import alone
from importlib import import_module
with alone(sys.argv[1]):
    code = import_module("coachcore.cli.main").invoke(sys.argv[2:])
sys.exit(code)
"""


class Said(NamedTuple):
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


@contextmanager
def alone(folder: str) -> Iterator[None]:
    """Until the block ends, the distributions in `folder` are all that is installed, as far as Coach can see."""
    registry = import_module("coachcore.registry.registry")
    find = registry.discover

    def only(paths: Any = None) -> Any:
        return find([folder] if paths is None else paths)

    before = set(sys.modules)
    registry.current.cache_clear()
    sys.path.insert(0, folder)
    try:
        with patch.object(registry, "discover", only):
            yield
    finally:
        sys.path.remove(folder)
        sys.path_importer_cache.pop(folder, None)
        registry.current.cache_clear()
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(folder):
                del sys.modules[name]


class CoachBox:
    """A folder of made-up distributions; every command sees these and no other plugin."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder

    def add(self, dist: str, **content: Any) -> Path:
        """Write a distribution (`coachcore.testing.made_up.made_up` says how); returns its package's folder."""
        return made_up(self.folder, dist, **content)

    def run(self, *arguments: str) -> Said:
        """`coach ARGUMENTS` in this process."""
        out, err = io.StringIO(), io.StringIO()
        with alone(str(self.folder)), redirect_stdout(out), redirect_stderr(err):
            code = import_module("coachcore.cli.main").invoke(list(arguments))
        return Said(code, out.getvalue(), err.getvalue())

    def run_apart(self, *arguments: str, limit: float = 60.0) -> Said:
        """`coach ARGUMENTS` in a process of its own, for plugins that would end or hang this one; `limit` in seconds.

        Raises `subprocess.TimeoutExpired` past the limit.
        """
        path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
        done = subprocess.run(
            [sys.executable, "-P", "-c", CHILD, str(self.folder), *arguments],
            env=os.environ | {"PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)
