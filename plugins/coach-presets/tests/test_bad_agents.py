"""Agents, networks, memories and environments that do not go together: one line each, and nothing is written."""

from __future__ import annotations

import sys
from textwrap import dedent

import pytest

from coachcore.running.checkpoint import Checkpoints

ODD = """
import gymnasium
import numpy as np

BOXES = {
    "grey": ((84, 84), np.uint8),
    "small": ((12, 12, 3), np.uint8),
    "int64": ((12, 12, 3), np.int64),
    "bool": ((12, 12, 3), np.bool_),
    "float64": ((12, 12, 3), np.float64),
}

class Odd(gymnasium.Env):
    def __init__(self, shows="vector", takes="discrete"):
        shape, dtype = BOXES.get(shows, ((4,), np.float32))
        self.observation_space = gymnasium.spaces.Box(0, 1 if dtype is np.bool_ else 255, shape, dtype)
        if shows == "sequence":
            self.observation_space = gymnasium.spaces.Sequence(gymnasium.spaces.Discrete(3))
        self.action_space = {
            "discrete": gymnasium.spaces.Discrete(2),
            "open": gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float32),
            "integers": gymnasium.spaces.Box(0, 5, (2,), np.int64),
        }[takes]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.observation_space.seed(seed)
        self.time = 0
        return self.observation_space.sample(), {}

    def step(self, action):
        self.time += 1
        return self.observation_space.sample(), 1.0, self.time >= 20, False, {}

gymnasium.register("Odd-v0", entry_point=Odd)
"""
IMAGE = 'agent.network.embedders.observation={use="image", scheme="shallow"}'
SMALL = (
    'agent.networks.actor.middleware={use="dense", scheme=[16]}',
    'agent.networks.critic.heads.q={use="twin-q", hidden=[16]}',
)


@pytest.fixture(scope="module", autouse=True)
def odd(tmp_path_factory):
    """The environment ``odd_environment:Odd-v0``, importable."""
    folder = tmp_path_factory.mktemp("modules")
    (folder / "odd_environment.py").write_text(dedent(ODD))
    sys.path.insert(0, str(folder))
    yield
    sys.path.remove(str(folder))
    sys.modules.pop("odd_environment", None)


def showing(**options):
    """The settings that put the odd environment in place."""
    told = ", ".join(f'{key}="{value}"' for key, value in options.items())
    return 'environment.id="odd_environment:Odd-v0"', f"environment.options={{{told}}}"


def asked(preset, folder, *settings):
    """The command line of `preset` with `settings`, into `folder`."""
    given = ("engine.cache=false", 'recorders=[{use="jsonl"}]', *settings)
    return ["run", preset, "--out", str(folder), *(part for setting in given for part in ("--set", setting))]


@pytest.mark.parametrize(
    ("preset", "setting", "words"),
    [
        ("cartpole-dqn", 'agent.network.heads.q={use="state-value"}', ["'state-value' provides state-value", "q'"]),
        ("cartpole-c51", 'agent.network.heads.q={use="q"}', ["needs return-distribution", "categorical-q"]),
        ("cartpole-clipped-ppo", 'agent.network.heads.value={use="q"}', ["provides action-values", "state-value"]),
        ("cartpole-dqn", 'agent.network.heads.value={use="state-value"}', ["no head slot 'value'", "known: q"]),
        ("cartpole-clipped-ppo", "agent.network.loss_weights={valeu=0.5}", ["'valeu'", "did you mean 'value'?"]),
        ("cartpole-clipped-ppo", "agent.network.gradient_scales={valeu=0.5}", ["'valeu'", "did you mean 'value'?"]),
        ("pendulum-sac", "agent.networks.critic.loss_weights={policy=2}", ["network 'critic'", "'policy'", "known: q"]),
        ("cartpole-dqn", 'agent.network.middleware={use="lstm"}', ["'experience-replay' shuffles", "'lstm' needs"]),
        ("cartpole-dqn", "agent.learner.epochs=4", ["epochs: 4", "'dqn'", "set updates instead"]),
        ("cartpole-clipped-ppo", "agent.learner.updates=4", ["updates: 4", "'clipped-ppo'", "set epochs"]),
        ("cartpole-dqn", 'memory={use="rollout"}', ["'rollout'", "fresh", "'dqn'", "memories that do: balanced-exp"]),
        ("cartpole-clipped-ppo", 'memory={use="experience-replay"}', ["reused", "memories that do: rollout"]),
        ("cartpole-dqn", "memory.capacity=40", ["batch_size: 128 is more than memory.capacity = 40"]),
        ("cartpole-dqn", 'exploration={use="ou-process"}', ["'ou-process' is for box actions", "policies that fit: "]),
    ],
)
def test_what_does_not_go_together_is_refused_at_the_door(coach, tmp_path, preset, setting, words):
    folder = tmp_path / "never"
    coach(*asked(preset, folder, setting)).refusal("--set", "column", *words)
    assert not folder.exists()


def test_updates_that_calls_do_not_divide(coach, tmp_path):
    uneven = ("agent.learner.updates=16", "agent.learner.updates_per_call=5")
    said = coach(*asked("cartpole-dqn", tmp_path / "never", *uneven))
    said.refusal("updates_per_call: 5 does not divide updates = 16", "one of 1, 2, 4, 8, 16")


@pytest.mark.parametrize(
    ("preset", "settings", "words"),
    [
        ("cartpole-dqn", ('environment.id="Pendulum-v1"',), ["dqn", "box of shape (1,)", "'box-discretization'"]),
        ("cartpole-c51", ('environment.id="Pendulum-v1"',), ["c51", "box of shape (1,)", "'box-discretization'"]),
        ("pendulum-sac", ('environment.id="CartPole-v1"',), ["sac", "2 discrete actions", "use discrete-sac"]),
        ("pendulum-ddpg", ('environment.id="CartPole-v1"',), ["ddpg", "2 discrete actions"]),
        ("pendulum-td3", ('environment.id="CartPole-v1"',), ["td3", "2 discrete actions"]),
        ("pendulum-ddpg", showing(takes="open"), ["finite bounds", "'linear-box-to-box'"]),
        ("pendulum-sac", showing(takes="open"), ["finite bounds", "'linear-box-to-box'"]),
        ("pendulum-sac", showing(takes="integers"), ["discrete actions and boxes", "'full-discrete-map'"]),
        (
            "pendulum-clipped-ppo",
            ('agent.network.heads.policy={use="discrete-policy"}',),
            ["agent.network.heads.policy", "'discrete-policy'", "a box of actions", "gaussian-policy"],
        ),
        (
            "cartpole-clipped-ppo",
            ('agent.network.heads.policy={use="gaussian-policy"}',),
            ["agent.network.heads.policy", "'gaussian-policy'", "discrete actions", "discrete-policy"],
        ),
        ("cartpole-clipped-ppo", ('schedule.heatup="100 steps"',), ["schedule.heatup", 'heatup = "0 steps"']),
        ("cartpole-dqn", ('exploration={use="parameter-noise"}',), ["'parameter-noise'", "noisy = true"]),
        ("pendulum-ddpg", ('exploration={use="continuous-entropy"}',), ["'continuous-entropy'", "'additive-noise'"]),
        ("cartpole-dqn", (*showing(shows="grey"), IMAGE), ["[84, 84] without channels", "[84, 84, 1]"]),
        ("cartpole-dqn", showing(shows="grey"), ["'vector' takes vectors", "(84, 84)", "'image'"]),
        ("cartpole-dqn", (*showing(shows="small"), IMAGE.replace("shallow", "medium")), ["12 x 12", "layers of your"]),
        ("cartpole-dqn", showing(shows="sequence"), ["'observation' is a Sequence space", "supported are Box"]),
    ],
)
def test_what_only_the_built_parts_can_tell_is_refused_before_anything_is_written(
    coach, tmp_path, preset, settings, words
):
    folder = tmp_path / "never"
    coach(*asked(preset, folder, *settings)).refusal("coach: ", *words)
    assert not folder.exists()


@pytest.mark.parametrize("shows", ["int64", "bool", "float64"])
def test_numbers_of_other_types_become_float32(coach, tmp_path, shows):
    tiny = ('schedule.heatup="20 steps"', 'schedule.train="40 steps"', 'schedule.evaluate.every="40 steps"')
    scheme = 'agent.network.embedders.observation={use="image", scheme=[{use="conv", filters=2, size=3, stride=3}]}'
    folder = tmp_path / "run"
    assert coach(*asked("cartpole-dqn", folder, *showing(shows=shows), scheme, *tiny)).fine()
    assert Checkpoints(folder / "checkpoints").load()["machine"]["obs"]["observation"].dtype == "float32"


@pytest.mark.parametrize(
    ("preset", "settings", "head"),
    [
        ("cartpole-clipped-ppo", (), "policy, value"),
        ("pendulum-sac", SMALL, "actor.policy"),
        ("cartpole-dqn", (), "q"),
    ],
)
def test_a_loss_that_is_no_number_stops_the_run_and_leaves_what_was_saved(coach, tmp_path, preset, settings, head):
    often, folder = 'checkpoint.every="200 steps"', tmp_path / "run"
    said = coach(*asked(preset, folder, often, "agent.learner.learning_rate=1e20", *settings))
    said.refusal(f"coach: the loss of {head} is no finite number in rows 0, 1, ", "of minibatch", "lower agent.learner")
    saved = Checkpoints(folder / "checkpoints").load()["machine"]
    assert saved["clock"]["steps"] >= 200
    played = coach("evaluate", str(folder), "--checkpoint", "latest", "--episodes", "1", "--seed", "3")
    assert "1 episodes: mean return" in played.fine()
