"""Every installed engine keeps the laws of engines, with one installed agent of each executor."""

from __future__ import annotations

import pytest

from coachcore.clock import Duration
from coachcore.component import spec_of
from coachcore.errors import Mismatch
from coachcore.settings import LearnerSettings
from coachcore.spaces import Box
from coachcore.testing.engine import LAWS
from coachcore.testing.examples import problem_for, spaces_with
from coachcore.testing.network import ACTIONS
from coachcore.testing.trial import Trial, serves

KIND = "engine"
SETTINGS = LearnerSettings(batch_size=4, target_every=Duration.parse("2 updates"))


@pytest.fixture(scope="module")
def every_problem(registry, agents):
    """A small problem for each agent."""
    found = []
    for agent in agents:
        every = (spaces_with(Box((3,)), action) for action in ACTIONS)
        spaces = next((each for each in every if serves(agent, Trial(spaces=each))), None)
        if spaces is not None:
            found.append(problem_for(registry, agent, spaces, SETTINGS))
    return found


@pytest.fixture(scope="module")
def problems_of(every_problem):
    """For an engine, the first agent of each executor that it does not refuse: what an agent needs may be too much."""
    chosen = {}

    def problems(engine):
        name = spec_of(engine).name
        if name not in chosen:
            chosen[name] = served(engine, every_problem)
        return chosen[name]

    return problems


def served(engine, every_problem):
    found = {}
    for problem in every_problem:
        executor = spec_of(problem.agent).facts["executor"]
        if executor not in found and makes(engine, problem):
            found[executor] = problem
    return list(found.values())


def makes(engine, problem):
    try:
        engine.make(problem)
    except Mismatch:
        return False
    return True


def test_law(part, law, problems_of, every_problem):
    assert LAWS
    skip_on_another_backend(part)
    if not every_problem:
        pytest.skip("no agent is installed")
    problems = problems_of(part)
    assert problems, f"{part} refuses every agent that is installed"
    for problem in problems:
        law(part, problem)


def skip_on_another_backend(part):
    """Keras has one backend a process; an engine is called as the backend that it needs."""
    name = spec_of(part).name
    if name not in ("tensorflow", "jax", "torch", "openvino"):
        return
    running = pytest.importorskip("keras", reason=f"engine '{name}' needs Keras").config.backend()
    if name != running:
        pytest.skip(f"Keras runs on {running} here, engine '{name}' needs {name}; set KERAS_BACKEND={name}")
