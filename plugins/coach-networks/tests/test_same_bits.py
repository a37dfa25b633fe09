"""Same problem, seed and samples: same weights bit for bit, twice in one process and in two, executor by executor."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import attrs
import pytest
from toy_problems import engine

from coachcore.api import Box, Discrete, LearnerSettings
from coachcore.testing.engine import drawn
from coachcore.testing.examples import installed, problem_for, spaces_with

REAL, WHOLE = Box((2,), -1.0, 1.0), Discrete(3)
CASES: dict[str, tuple[str, str, Any]] = {
    "small": ("dqn", "small", WHOLE),
    "conv": ("dqn", "conv", WHOLE),
    "twin": ("td3", "twin", REAL),
    "rows with noise": ("sac", "twin", REAL),
    "layers with noise": ("rainbow", "small", WHOLE),
}
"""What is tried -> agent, executor, actions."""


def digest(name: str) -> str:
    """Train the agent of a case for six updates in two calls; all that it then is, in short."""
    agent, executor, action = CASES[name]
    registry = installed()
    if agent not in {entry.spec.name for entry in registry.entries("agent")}:
        pytest.skip(f"agent '{agent}' is not installed")
    part = registry.load("agent", agent)()
    settings = LearnerSettings(batch_size=8, target_every="2 updates")
    problem = problem_for(registry, part, spaces_with(Box((3,)), action), settings)
    learner = engine().make(attrs.evolve(problem, executor=executor, seed=11))
    for seed in (0, 1):
        learner.train(drawn(problem, 3, seed), 0.01, knobs_of(part))
    state = learner.state()
    known = b"".join(state[key].tobytes() for key in sorted(state) if hasattr(state[key], "tobytes"))
    return sha256(known + repr(state["noise"]).encode()).hexdigest()


def knobs_of(agent: Any) -> dict[str, float]:
    return dict(agent.knobs(agent.begin(), 0)) if hasattr(agent, "begin") else {}


RUN = """
import sys
sys.path.insert(0, {folder!r})
from test_same_bits import CASES, digest
for name in 2 * {names!r}:
    print(digest(name))
"""


def test_equal_runs_give_equal_bits_in_one_process_and_in_two() -> None:
    """In processes of their own: how many threads multiply is settled by whoever imports the backend first."""
    names = list(CASES)
    code = RUN.format(folder=str(Path(__file__).parent), names=names)
    command = [sys.executable, "-c", code]
    one, other = (
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=500).stdout.split() for _ in "ab"
    )
    assert len(one) == 2 * len(names)
    assert one[: len(names)] == one[len(names) :]
    assert one == other
    assert len(set(one)) >= len(names) - 1  # one executor may give the bits of another
