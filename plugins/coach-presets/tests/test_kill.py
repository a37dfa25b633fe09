"""SIGKILL, which no program can prepare for: the resumed run equals one that was left alone, bit for bit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[3] / "tests" / "kill_and_resume.py"


NARROW = ("agent.networks.actor.middleware.scheme=[16]", "agent.networks.critic.heads.q.hidden=[16]")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL here")
@pytest.mark.parametrize(
    ("preset", "steps", "settings"),
    [
        ("cartpole-dqn-per", 4_000, ()),
        ("cartpole-rainbow", 3_000, ()),
        ("cartpole-masked-lstm", 6_000, ()),
        ("pendulum-sac", 3_000, NARROW),
    ],
)
def test_killed_at_random_and_resumed(preset, steps, settings):
    command = [sys.executable, str(TOOL), "--kills", "3", "--preset", preset, "--steps", str(steps)]
    command += [part for setting in settings for part in ("--set", setting)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("3 kills in ")
    assert done.stdout.splitlines()[-1].endswith("0 runs differ")
