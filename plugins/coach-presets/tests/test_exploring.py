"""Schedules and exploration in whole runs: what they go by, what is stored for heads, and resuming."""

from __future__ import annotations

import pytest

import coachcore
from coach_schedules import Exponential, Linear
from coachcore.presets.build import build
from coachcore.running.loop import train
from coachcore.running.machine import Machine
from coachcore.testing.laws import differing

TINY = {
    "schedule.heatup": "5 episodes",
    "schedule.train": "600 steps",
    "schedule.evaluate": {"every": "500 steps", "episodes": 1},
    "schedule.report_every": "100 steps",
    "schedule.target": None,
    "checkpoint.every": "150 steps",
    "environment.max_episode_steps": 20,
    "environment.count": 2,
    "agent.learner.batch_size": 16,
}
EPSILON = {"use": "linear", "start": 1.0, "end": 0.0, "steps": 50, "per": "episodes"}
RATE = {"use": "exponential", "start": 0.1, "end": 0.01, "factor": 0.999, "per": "updates"}


def machine_of(name, **changes):
    return Machine(build(coachcore.load_preset(name, seed=3).changed(TINY | changes)))


def test_schedules_go_by_episodes_and_updates():
    """Epsilon falls with every episode that ends after heat-up, the learning rate with every update."""
    machine = machine_of("cartpole-dqn", **{"exploration.epsilon": EPSILON, "agent.learner.learning_rate": RATE})
    events = list(train(machine))
    machine.close()
    epsilon = Linear(**{name: value for name, value in EPSILON.items() if name != "use"})
    rate = Exponential(**{name: value for name, value in RATE.items() if name != "use"})
    phases = [event.data["phase"] for event in events if event.kind == "episode"]
    heated = phases.count("heat-up")
    assert heated == machine.clock.heatup_episodes >= 5
    played = [event for event in events if event.kind == "episode" and event.data["phase"] == "training"]
    assert len(played) > 10
    assert [event.data["exploration"] for event in played] == [epsilon(event.episode - heated) for event in played]
    reports = [event for event in events if event.kind == "report"]
    assert len(reports) > 3
    assert [event.data["learning_rate"] for event in reports] == [rate(event.update) for event in reports]


@pytest.mark.parametrize("policy", ["bootstrapped", "ucb", "e-greedy"])
def test_a_run_of_heads_goes_on_bit_for_bit(policy):
    """Stopped and restored at every pause: heads, masks and held actions are those of a run that never stopped."""
    changes = {"exploration": {"use": policy}, "agent.sharing": 0.5}
    if policy == "e-greedy":
        changes["exploration"] |= {"epsilon": EPSILON | {"per": "updates"}, "duration": 4}
    whole, pauses, rest = machine_of("cartpole-bootstrapped-dqn", **changes), 0, []
    events = [event for event in train(whole) if event.kind != "pause"]
    machine = machine_of("cartpole-bootstrapped-dqn", **changes)
    while not machine.done:
        for event in train(machine):
            if event.kind == "pause":
                break
            rest.append(event)
        state, pauses = machine.state(), pauses + 1
        machine.close()
        machine = machine_of("cartpole-bootstrapped-dqn", **changes)
        machine.restore(state)
    assert pauses > 3
    assert rest == events
    assert differing(whole.state(), machine.state()) == []
    for one in (whole, machine):
        one.close()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("exploration.epsilon={use='linear', start=1.0, end=0.0, steps=10, per='moons'}",
         "per: 'moons' is not a choice here - known: episodes, steps, updates"),
        ("exploration.epsilon={use='linear', start=1.0, end=0.0, steps='10 episodes'}",
         'steps: expected a whole number, got "10 episodes"'),
        (("exploration.epsilon={use='piecewise', schedules=[1, {use='linear', start=1, end=0, steps=9, per='updates'}],"
         " steps=[5]}"),
         ('exploration.epsilon.schedules: piece 1 goes by updates, the whole by steps - give per = "updates" to the '
         "whole, its pieces count what it counts")),
        ("exploration={use='bootstrapped', epsilon=2}", "epsilon: 2 is out of range - must be >= 0 and <= 1"),
        ("exploration={use='ucb', bonus=-1.0}", "bonus: -1.0 is out of range - must be >= 0"),
        ("exploration={use='ucb', lamb=1.0}",
         "exploration 'ucb' has no setting 'lamb' - known: bonus, epsilon, evaluation_epsilon"),
        ("exploration={use='e-greedy', duration=0}", "duration: 0 is out of range - must be >= 1"),
        ("exploration={use='bootstrapped'}",
         ("exploration: 'bootstrapped' looks at the values of several heads, and this agent's network gives none - "
         "use agent 'bootstrapped-dqn', or 'e-greedy'")),
        ("agent={use='bootstrapped-dqn', sharing=0.0}", "sharing: 0.0 is out of range - must be > 0 and <= 1"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_in_one_line(coach, tmp_path, given, said):
    line = coach("run", "cartpole-dqn", "--set", given, "--out", str(tmp_path / "run")).refusal()
    assert line.endswith(f": {said}")
    assert not (tmp_path / "run").exists()
