"""Every installed preset: sound, buildable, said to be proven, and the same again from the same seed."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

import coachcore
from coachcore.component import spec_of
from coachcore.presets.build import build
from coachcore.registry.registry import current

PRESETS = sorted(current().presets())
TINY = {
    "schedule.heatup": "100 steps",
    "schedule.train": "400 steps",
    "schedule.evaluate": {"every": "300 steps", "episodes": 1},
    "schedule.report_every": "200 steps",
    "schedule.target": None,
    "environment.max_episode_steps": 50,
    "agent.learner.train_every": "16 steps",
}
ON_POLICY = {
    "environment.max_episode_steps": 20,
    "schedule.heatup": "0 steps",
    "agent.learner.train_every": "80 steps",
    "agent.learner.batch_size": 16,
    "agent.learner.sequence": 2,
}
NEEDS = {"LunarLander-v3": "Box2D", "minigrid:MiniGrid-DoorKey-5x5-v0": "minigrid"}
"""Environments that not everyone has, and the module they need."""


def there(preset):
    """Whether the environment can be made here."""
    needed = NEEDS.get(preset.resolved["environment"].get("id"))
    return needed is None or find_spec(needed) is not None


def tiny(preset):
    """What makes the preset short enough for a test."""
    fresh = spec_of(build(preset).agent).facts.get("data", {}).get("fresh")
    changes = TINY | ON_POLICY if fresh else dict(TINY)
    if preset.resolved["environment"]["use"] != "gymnasium":  # one that ends its episodes itself
        del changes["environment.max_episode_steps"]
    if "target" not in preset.resolved["schedule"]:  # a run to its end
        del changes["schedule.target"]
    return changes


def test_the_presets_of_the_issue_are_installed():
    promised = {"acrobot-dqn", "cartpole-dqn", "cartpole-dqn-per", "cartpole-dueling-ddqn", "mountaincar-dqn"}
    promised |= {f"cartpole-{agent}" for agent in ("c51", "qr-dqn", "rainbow", "ppo", "clipped-ppo", "a2c")}
    promised |= {f"pendulum-{agent}" for agent in ("ddpg", "td3", "sac", "clipped-ppo")}
    promised |= {"acrobot-qr-dqn", "lunarlander-dqn", "lunarlander-clipped-ppo"}
    promised |= {"cartpole-masked-lstm", "minigrid-clipped-ppo"}
    assert promised <= set(PRESETS)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_checks_clean(name, coach):
    said = coach("check", name)
    assert said.fine().startswith(f"{name}: no errors")


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_can_be_built_and_says_what_it_reaches(name):
    preset = coachcore.load_preset(name)
    assert preset.resolved["summary"]
    experiment = build(preset)
    assert experiment.validation is not None
    assert experiment.validation.within.amount == experiment.schedule.train.amount
    assert experiment.schedule.target is None or experiment.schedule.target >= experiment.validation.reward


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_trains_and_one_seed_gives_one_run(name):
    preset = coachcore.load_preset(name)
    if not there(preset):
        pytest.skip(f"{preset.resolved['environment']['id']} needs an extra that is not installed")
    preset = preset.changed(tiny(preset))
    first, second = (list(coachcore.train(preset, seed=7)) for _ in range(2))
    assert [event.kind for event in first if event.kind in ("run-start", "run-end")] == ["run-start", "run-end"]
    assert {"episode", "report", "evaluation"} <= {event.kind for event in first}
    assert first[-1].step == 400
    assert first[-1].update > 0
    assert first == second
