"""The machine: parts that do not fit are refused, and a state that does not replay too."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from coachcore.component import component
from coachcore.contracts.experiment import Filters, NetworkParts
from coachcore.errors import BadCheckpoint, BadData, Mismatch
from coachcore.running.loop import collect, learn_once
from coachcore.running.machine import Machine
from coachcore.testing.toys import ToySigns, toy_experiment


def opened(**changes):
    machine = Machine(toy_experiment(**changes))
    machine.open(np.arange(machine.count))
    return machine


def test_actions_that_the_agent_cannot_take():
    with pytest.raises(Mismatch, match="toy-q chooses among discrete actions"):
        Machine(toy_experiment(environment=ToySigns(actions="box")))


@pytest.mark.parametrize(
    ("embedders", "text"),
    [
        (
            {"observation": None, "speed": None},
            "the network embeds 'speed', which is not observed; inputs: observation",
        ),
        ({}, "the network has no embedder for 'observation'; inputs: observation"),
    ],
)
def test_embedders_must_be_the_observations(embedders, text):
    network = NetworkParts(embedders=embedders, middleware=None, heads={"q": None})
    with pytest.raises(Mismatch) as caught:
        Machine(toy_experiment(networks={"main": network}))
    assert str(caught.value) == f"agent.network.embedders: {text}"


def test_filters_for_an_observation_that_is_not_there():
    with pytest.raises(Mismatch, match="no observation is called 'speed'"):
        Machine(toy_experiment(filters=Filters(observation={"speed": ()})))


def test_the_greedy_policy_shares_nothing_with_the_machine():
    machine = opened()
    collect(machine, 5)
    policy = machine.policy()
    before = machine.explorer["random"]
    policy.explorer["random"] = 99
    assert machine.explorer["random"] == before


def test_an_environment_that_does_not_replay_cannot_be_resumed():
    @component("environment", "toy-forgetful")
    @attrs.frozen(kw_only=True)
    class Forgetful:
        chance: object = attrs.field(factory=lambda: np.random.default_rng(5), init=False, eq=False)

        def make(self, count, *, render=False):
            real = ToySigns().make(count)
            reset = real.reset
            real.reset = lambda envs, seeds: reset(envs, [int(self.chance.integers(2**31)) for _ in seeds])
            return real

    machine = opened(environment=Forgetful())
    collect(machine, 3)
    again = Machine(machine.experiment)
    with pytest.raises(BadCheckpoint, match="the environment does not replay: observation 'observation' differs"):
        again.restore(machine.state())


def test_another_count_of_environments_cannot_be_resumed():
    machine = opened(environments=2)
    collect(machine, 3)
    with pytest.raises(BadCheckpoint, match="it holds 2 environments, the preset asks for 3"):
        Machine(toy_experiment(environments=3)).restore(machine.state())


def test_opening_one_episode_leaves_the_others_and_what_was_handed_out_alone():
    machine = opened(environments=3)
    collect(machine, 4)
    before = {name: (values, values.copy()) for name, values in machine.raw.items()}
    machine.open(np.array([1]))
    shown, copy = before["observation"]
    np.testing.assert_array_equal(shown, copy)
    np.testing.assert_array_equal(machine.raw["observation"][[0, 2]], copy[[0, 2]])
    np.testing.assert_array_equal(machine.raw["observation"][1, 1:], [0.0, 0.0])
    assert copy[1, 1] > 0
    np.testing.assert_array_equal(machine.obs["observation"], machine.raw["observation"])


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (
            lambda obs: {"place": obs["observation"]},
            r"toy-odd: observation 'observation' is missing from what it shows",
        ),
        (lambda obs: {"observation": obs["observation"][:, :2]}, r"has shape \(2,\), its space says \(3,\)"),
    ],
)
def test_an_environment_that_shows_something_else_than_it_promised(shown, text):
    @component("environment", "toy-odd")
    @attrs.frozen(kw_only=True)
    class Odd:
        def make(self, count, *, render=False):
            real = ToySigns().make(count)
            reset = real.reset
            real.reset = lambda envs, seeds: shown(reset(envs, seeds))
            return real

    with pytest.raises(BadData, match=text):
        opened(environment=Odd())


def test_numbers_in_the_memory_that_are_none_are_the_environments_fault():
    machine = opened()
    collect(machine, 60)
    machine.memory._columns["obs.observation"][:] = np.nan
    with pytest.raises(BadData, match="toy-signs: an observation or a reward in the memory is not a number"):
        learn_once(machine)
