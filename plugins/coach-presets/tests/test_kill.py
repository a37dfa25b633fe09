"""SIGKILL, which no program can prepare for: the resumed run equals one that was left alone, bit for bit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[3] / "tests" / "kill_and_resume.py"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL here")
def test_killed_at_random_and_resumed():
    command = [sys.executable, str(TOOL), "--kills", "3", "--steps", "4000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("3 kills in ")
    assert done.stdout.splitlines()[-1].endswith("0 runs differ")
