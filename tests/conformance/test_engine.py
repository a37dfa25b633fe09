"""Every installed engine keeps the laws of engines, with one installed agent of each executor."""

from __future__ import annotations

import pytest

from coachcore.clock import Duration
from coachcore.component import spec_of
from coachcore.settings import LearnerSettings
from coachcore.spaces import Box
from coachcore.testing.engine import LAWS
from coachcore.testing.examples import problem_for, spaces_with
from coachcore.testing.network import ACTIONS
from coachcore.testing.trial import Trial, serves

KIND = "engine"
SETTINGS = LearnerSettings(batch_size=4, target_every=Duration.parse("2 updates"))


@pytest.fixture(scope="module")
def problems(registry, agents):
    """A small problem for the first agent of each executor, by executor."""
    found = {}
    for agent in agents:
        every = (spaces_with(Box((3,)), action) for action in ACTIONS)
        spaces = next((each for each in every if serves(agent, Trial(spaces=each))), None)
        executor = spec_of(agent).facts["executor"]
        if spaces is not None and executor not in found:
            found[executor] = problem_for(registry, agent, spaces, SETTINGS)
    return found


def test_law(part, law, problems):
    assert LAWS
    skip_on_another_backend(part)
    if not problems:
        pytest.skip("no agent is installed")
    for problem in problems.values():
        law(part, problem)


def skip_on_another_backend(part):
    """Keras has one backend a process; an engine is called as the backend that it needs."""
    name = spec_of(part).name
    if name not in ("tensorflow", "jax", "torch", "openvino"):
        return
    running = pytest.importorskip("keras", reason=f"engine '{name}' needs Keras").config.backend()
    if name != running:
        pytest.skip(f"Keras runs on {running} here, engine '{name}' needs {name}; set KERAS_BACKEND={name}")
