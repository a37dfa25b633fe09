"""Running a distribution's tests, with the suites of its kinds beside them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from coach_author.sync import declared
from coachcore.api import CoachError

INTERRUPTED = 130


def tested(folder: Path, arguments: Sequence[str]) -> int:
    """Run pytest in `folder`, its source importable; returns pytest's exit code.

    Raises `CoachError` where there is no distribution or no pytest.
    """
    declared(folder)
    if find_spec("pytest") is None:
        raise CoachError("needs pytest - python -m pip install 'coach-author[test]'", where="coach plugin test")
    path = [str(folder.resolve() / "src"), str(folder.resolve()), *(one or str(Path.cwd()) for one in sys.path)]
    command = [sys.executable, "-P", "-m", "pytest", "--coach-conformance", *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    try:
        return subprocess.run(command, cwd=folder, env=environment, check=False).returncode
    except KeyboardInterrupt:
        return INTERRUPTED
