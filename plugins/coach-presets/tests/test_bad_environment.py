"""Environments that do not exist, do not fit, lack a package, or break while running."""

from __future__ import annotations

import importlib.util
import sys
from textwrap import dedent

import pytest

from coachcore.running.checkpoint import Checkpoints

BREAKING = """
import gymnasium
import numpy as np

class Breaking(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (4,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, how="", at=1_200):
        self.how, self.at, self.count = how, at, 0
        if how == "constructor":
            raise OSError("the simulator\\ndid not start")

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.time = 0
        if self.how == "reset" and self.count > self.at:
            raise ValueError("cannot reset")
        return np.zeros(4, np.float32), {}

    def step(self, action):
        self.count += 1
        self.time += 1
        obs, reward = np.full(4, self.time / 20, np.float32), 1.0
        if self.count == self.at:
            if self.how == "exception":
                raise RuntimeError("the motor\\nburnt out")
            reward = np.nan if self.how == "nan reward" else 1.0
            obs[1] = np.nan if self.how == "nan observation" else obs[1]
            if self.how == "shape":
                obs = obs[:3]
        return obs, reward, self.time >= 20, False, {}

gymnasium.register("Breaking-v0", entry_point=Breaking)
"""


@pytest.fixture(scope="module", autouse=True)
def breaking(tmp_path_factory):
    """The environment ``breaking_environment:Breaking-v0``, importable."""
    folder = tmp_path_factory.mktemp("modules")
    (folder / "breaking_environment.py").write_text(dedent(BREAKING))
    sys.path.insert(0, str(folder))
    yield
    sys.path.remove(str(folder))
    sys.modules.pop("breaking_environment", None)


def on(runs, name, **options):
    told = ", ".join(f'{key} = "{value}"' for key, value in options.items())
    return runs.arguments(runs.folder / "run", f'environment.id="{name}"', f"environment.options={{{told}}}")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Nope-v1", ["environment.id: there is no environment 'Nope-v1'", "known: "]),
        ("CartPole", ["there is no environment 'CartPole'", "did you mean 'CartPole-v1'?"]),
        ("CartPole-v7", ["there is no environment 'CartPole-v7'", "did you mean 'CartPole-v1'?"]),
        ("no_such_package:Nope-v1", ["'no_such_package' cannot be imported"]),
        ("Pendulum-v1", ["dqn", "discrete", "box of shape (1,)"]),
        ("Blackjack-v1", ["embeds 'observation', which is not observed", "inputs: observation-0, observation-1"]),
    ],
)
def test_an_environment_that_cannot_be_used(runs, coach, name, words):
    coach(*on(runs, name)).refusal("coach: ", *words)
    assert not (runs.folder / "run").exists()


@pytest.mark.skipif(importlib.util.find_spec("Box2D") is not None, reason="Box2D is installed")
def test_an_environment_whose_package_is_missing(runs, coach):
    said = coach(*on(runs, "LunarLander-v3"))
    said.refusal("LunarLander-v3 needs", "not installed", "pip install 'gymnasium[box2d]'")
    assert not (runs.folder / "run").exists()


@pytest.mark.parametrize(
    ("name", "extra"), [("minigrid:MiniGrid-Empty-5x5-v0", "minigrid"), ("ale_py:ALE/Pong-v5", "atari")]
)
def test_a_package_with_environments_that_is_missing(runs, coach, monkeypatch, name, extra):
    monkeypatch.setitem(sys.modules, name.partition(":")[0], None)
    coach(*on(runs, name)).refusal("environment.id", "cannot be imported", f"pip install 'coach-gymnasium[{extra}]'")
    assert not (runs.folder / "run").exists()


def test_options_that_an_environment_refuses(runs, coach):
    coach(*on(runs, "CartPole-v1", colour="red")).refusal("CartPole-v1 has no option 'colour'", "sutton_barto_reward")
    coach(*on(runs, "breaking_environment:Breaking-v0", how="constructor")).refusal("the simulator did not start")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("nan reward", ["Breaking-v0, environment 0: the reward is nan", "mend the environment"]),
        ("nan observation", ["observation 'observation' holds nan at place 1", "mend the environment"]),
        ("shape", ["observation 'observation' has shape (3,), promised was (4,)"]),
        ("exception", ["breaking_environment.py:", "RuntimeError: the motor burnt out", "mend"]),
        ("reset", ["breaking_environment.py:", "ValueError: cannot reset", "mend"]),
    ],
)
def test_an_environment_that_breaks_costs_what_came_after_the_last_checkpoint(runs, coach, how, words):
    folder = runs.folder / "run"
    coach(*on(runs, "breaking_environment:Breaking-v0", how=how)).refusal("coach: ", *words)
    assert Checkpoints(folder / "checkpoints").load()["machine"]["clock"]["steps"] == 1000
    assert coach("evaluate", str(folder), "--checkpoint", "latest", "--episodes", "1").fine()
    assert [event["step"] for event in runs.events(folder)][-1] >= 1000
