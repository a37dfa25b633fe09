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
from coachcore.spaces import Box, Spaces
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
        (
            lambda obs: {"observation": obs["observation"][:, :2]},
            r"^toy-odd: observation 'observation' has shape \(2,\), its space says \(3,\)$",
        ),
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


def test_bytes_that_are_none():
    @component("environment", "toy-bytes")
    @attrs.frozen(kw_only=True)
    class Bytes:
        def make(self, count, *, render=False):
            real = ToySigns().make(count)
            real.spaces = Spaces({"observation": Box((3,), dtype="uint8")}, real.spaces.action)
            return real

    with pytest.raises(BadData) as caught:
        opened(environment=Bytes())
    assert str(caught.value) == "toy-bytes: observation 'observation' holds float32, its space says bytes (uint8)"


def test_numbers_in_the_memory_that_are_none_are_the_environments_fault():
    machine = opened()
    collect(machine, 60)
    machine.memory._columns["obs.observation"][:] = np.nan
    with pytest.raises(BadData, match="toy-signs: an observation or a reward in the memory is not a number"):
        learn_once(machine)


@component("filter", "toy-count", acts_on="observation")
@attrs.frozen(kw_only=True)
class Counting:
    """Adds how many values it has seen: what is shown depends on when it is shown."""

    stored: bool = False

    def space(self, before):
        return Box(before.shape)

    def init(self, before, count):
        return 0

    def __call__(self, state, values, rows):
        seen = state if rows.evaluating else state + len(values)
        return seen, (values + seen).astype(np.float32)


def watched(machine):
    """What the agent is shown while acting and while learning, from now on."""
    acting, learning = [], []
    act, learn = machine.actor.acting, machine.lessons.train

    def acts(obs, *rest):
        acting.append(obs["observation"])
        return act(obs, *rest)

    def learns(sample, *rest):
        learning.append(sample)
        return learn(sample, *rest)

    machine.actor.acting, machine.lessons.train = acts, learns
    return acting, learning


def test_what_is_not_stored_is_done_to_what_the_network_is_shown_acting_and_learning():
    machine = opened(filters=Filters(observation={"observation": (Counting(),)}))
    acting, learning = watched(machine)
    raw = machine.raw["observation"].copy()
    machine.actor.propose(machine.obs)
    np.testing.assert_array_equal(acting[0], raw + 1)
    collect(machine, 9)  # 10 values were seen, and one more for each episode that was opened
    seen = machine.filters["shown"]["observation"][0]
    assert seen >= 10
    np.testing.assert_array_equal(machine.obs["observation"], machine.raw["observation"])
    learn_once(machine)
    place = machine.layout.packed["obs.observation"]
    kept = machine.memory.sample(np.random.default_rng(0), 1, 64, 0).packed[..., place]
    shown = learning[0].packed[..., place]
    assert set(np.unique((shown - seen).round(3))) <= set(np.unique(kept.round(3)))
    assert np.abs(kept).max() <= 1 < np.abs(shown).min()
    policy = machine.policy()
    policy.act(machine.raw["observation"][0])
    np.testing.assert_array_equal(acting[-1], machine.raw["observation"] + seen)
    assert machine.filters["shown"]["observation"][0] == seen


def test_what_is_not_stored_is_saved_and_goes_on():
    rules = Filters(observation={"observation": (Counting(),)})
    machine, other = opened(filters=rules), Machine(toy_experiment(filters=rules))
    collect(machine, 60)
    other.restore(machine.state())
    for each in (machine, other):
        learn_once(each)
        collect(each, 5)
    np.testing.assert_array_equal(machine.learner.acting()[1], other.learner.acting()[1])
    assert machine.filters == other.filters


@component("memory", "toy-diary", orders=["any"], fresh=False, weighted=False, episodes=True)
@attrs.frozen(kw_only=True)
class ToyDiary:
    """Keeps what it is asked and given."""

    def make(self, layout, count, sequence=1, n_step=1, discount=0.0):
        return Diary(n_step, discount)


class Diary:
    def __init__(self, n_step, discount):
        self.asked, self.filled, self.given = (n_step, discount), [], []

    def fill(self, discount):
        self.filled.append((discount, len(self.given)))

    def add(self, columns):
        self.given.append(columns)

    def __len__(self):
        return 0


def test_a_memory_of_episodes_is_given_single_steps_and_what_it_takes_to_join_them():
    experiment = toy_experiment(memory=ToyDiary(), agent=attrs.evolve(toy_experiment().agent, n_step=3, discount=0.9))
    machine = Machine(experiment)
    machine.begin()
    collect(machine, 40)
    assert machine.memory.asked == (3, 0.9)
    assert len(machine.memory.given) == 40
    for columns in machine.memory.given:
        assert columns["env"].tolist() == list(range(machine.count))
        assert set(columns["discount"].tolist()) <= {0.0, 0.9}
    assert any(columns["ended"].any() for columns in machine.memory.given)


def test_a_memory_is_filled_once_before_the_first_step():
    machine = Machine(toy_experiment(memory=ToyDiary()))
    assert machine.memory.filled == []
    machine.begin()
    assert machine.memory.filled == [(machine.accumulate.discount, 0)]
    assert machine.obs
