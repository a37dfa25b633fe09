"""Every agent goes on from a checkpoint as if it had never stopped: the same events and the same state, bit for bit."""

from __future__ import annotations

import random

import pytest

import coachcore
from coachcore.presets.build import build
from coachcore.running.checkpoint import Checkpoints
from coachcore.running.loop import train
from coachcore.running.machine import Machine
from coachcore.testing.laws import differing

SHORT = {
    "environment.max_episode_steps": 30,
    "schedule.train": "400 steps",
    "schedule.heatup": "40 steps",
    "schedule.evaluate": {"every": "150 steps", "episodes": 1},
    "schedule.report_every": "70 steps",
    "schedule.target": None,
    "checkpoint.every": "1 steps",
    "agent.learner.batch_size": 16,
    "agent.learner.train_every": "7 steps",
    "engine.cache": False,
}
ROLLOUTS = {
    "schedule.heatup": "0 steps",
    "environment.count": 2,
    "agent.learner.train_every": "64 steps",
    "agent.learner.epochs": 2,
}
NARROW = {
    "agent.networks.actor.middleware.scheme": [8],
    "agent.networks.critic.heads.q.hidden": [8],
}
LEARNER = {"agent.learner.train_every": "7 steps", "agent.learner.batch_size": 16}
DISCRETE_SAC = {"agent": {"use": "discrete-sac"}, **LEARNER, "exploration": {"use": "categorical"}}
LOOKING = {
    "agent": {"use": "dqn"},
    **LEARNER,
    "agent.network.embedders.image": {"use": "image", "scheme": [{"use": "conv", "filters": 4, "size": 3}]},
    "exploration": {"use": "e-greedy"},
    "memory": {"use": "experience-replay", "capacity": 100},
    "filters.image": [{"use": "stacking", "size": 2}],
    "environment.count": 3,
}
EPISODES = {"memory": {"use": "episodic-experience-replay", "capacity": 150}, "environment.count": 3}
LSTM = {"agent.network.middleware": {"use": "lstm", "units": 8}, "agent.learner.sequence": 4, "agent.n_step": 1}
ON_DISK = {"memory": {"use": "prioritized-experience-replay", "capacity": "9 kB", "disk": "."}}
CASES = {
    "dqn": ("cartpole-dqn-per", {"filters.observation": [{"use": "normalization"}], "environment.count": 3}),
    "c51": ("cartpole-c51", {}),
    "qr-dqn": ("cartpole-qr-dqn", {}),
    "rainbow": ("cartpole-rainbow", {}),
    "ppo": ("cartpole-ppo", ROLLOUTS),
    "clipped-ppo": ("cartpole-clipped-ppo", ROLLOUTS),
    "a2c": ("cartpole-a2c", ROLLOUTS | {"agent.learner.epochs": 1}),
    "clipped-ppo with lstm": ("cartpole-masked-lstm", ROLLOUTS | {"agent.learner.sequence": 4}),
    "clipped-ppo that looks": ("minigrid-clipped-ppo", ROLLOUTS),
    "clipped-ppo in a box": ("pendulum-clipped-ppo", ROLLOUTS),
    "ddpg": ("pendulum-ddpg", NARROW | {"agent.networks.critic.heads.q": {"use": "state-value", "hidden": [8]}}),
    "td3": ("pendulum-td3", NARROW),
    "sac": ("pendulum-sac", NARROW),
    "discrete-sac": ("cartpole-dqn", DISCRETE_SAC),
    "dqn in hindsight": ("bit-flip-dqn-her", {"memory.capacity": 700, "agent.n_step": 2}),
    "dqn of episodes": ("cartpole-dqn", EPISODES),
    "dqn with lstm": ("cartpole-dqn", EPISODES | LSTM),
    "dqn on a disk": ("cartpole-dqn", ON_DISK),
    "dqn that looks": ("minigrid-clipped-ppo", LOOKING),
}


def short(name):
    """The case `name`, built: short and small."""
    preset, changes = CASES[name]
    loaded, length = coachcore.load_preset(preset), "environment.max_episode_steps"
    given = {path: value for path, value in SHORT.items() if path != length or preset != "bit-flip-dqn-her"}
    return build(loaded.changed(given | changes))


@pytest.mark.parametrize("name", CASES)
def test_a_run_resumed_anywhere_ends_like_one_never_stopped(name, tmp_path):
    if CASES[name][0].startswith("minigrid"):
        pytest.importorskip("minigrid")
    experiment, checkpoints = short(name), Checkpoints(tmp_path, keep_last=1_000)
    alone, told, pauses = Machine(experiment), [], []
    try:
        for event in train(alone):
            if event.kind != "pause":
                told.append(event)
            elif alone.clock.steps % 5 < alone.count:  # neither in step with rollouts nor with train calls
                checkpoints.save(f"step-{alone.clock.steps}", {"machine": alone.state()})
                pauses.append((alone.clock.steps, len(told)))
    finally:
        alone.close()
    assert alone.clock.updates >= 4
    chosen = random.Random(name).sample(pauses[:-1], 3)
    again = Machine(experiment)
    try:
        for step, heard in chosen:  # over and over into the same machine: nothing of before may be left
            again.restore(checkpoints.load(f"step-{step}")["machine"])
            assert [event for event in train(again) if event.kind != "pause"] == told[heard:], step
            assert differing(again.state(), alone.state()) == [], step
    finally:
        again.close()
