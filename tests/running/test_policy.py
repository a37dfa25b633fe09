"""A policy by itself: filters before, the greedy choice, the action mapping after."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import pytest

from coachcore.component import component
from coachcore.contracts.experiment import Filters
from coachcore.errors import Mismatch
from coachcore.running.pipeline import Pipelines
from coachcore.running.policy import Policy
from coachcore.spaces import Box, Discrete, Spaces
from coachcore.testing.toy_learning import ToyQ
from coachcore.testing.toys import ToyEGreedy
from coachcore.types import Proposal, Rows

PLACE = Spaces(observation={"observation": Box((2,))}, action=Discrete(3))
WALK = Spaces(observation={"observation": Box((2,))}, action=Box((2,), -1.0, 1.0))


@component("filter", "toy-count", acts_on="observation")
@attrs.frozen
class Count:
    """Adds how many observations were seen before; what it has seen lasts."""

    def space(self, before):
        return before

    def init(self, before, count):
        return 0.0

    def __call__(self, state, values, rows: Rows):
        return state + len(values), values + state


@component("filter", "toy-sum", acts_on="observation", episodic=True)
@attrs.frozen
class Sum:
    """Adds up the observations of an episode."""

    def space(self, before):
        return before

    def init(self, before, count):
        return np.zeros((count, *before.shape), np.float32)

    def __call__(self, state, values, rows: Rows):
        after = state.copy()
        after[rows.envs] = values if rows.first else values + state[rows.envs]
        return after, after[rows.envs]


@component("filter", "toy-flipped", acts_on="action")
@attrs.frozen
class Flipped:
    """The agent counts its actions from the other end."""

    def space(self, before):
        return before

    def init(self, before, count):
        return None

    def __call__(self, state, values, rows: Rows):
        return state, 2 - values


@attrs.frozen
class AsProposed:
    """Does what the agent proposes, and remembers when it was asked."""

    asked: list[Any]

    def init(self, space, count):
        return None

    def __call__(self, state, propose, space, count, moment):
        self.asked.append((space, count, moment.step, moment.evaluating))
        return state, propose().preferences


def values(obs):
    """Head outputs ``[N, 3]``: the first number, the second, and a half."""
    seen = obs["observation"]
    return {"q": np.stack([seen[:, 0], seen[:, 1], np.full(len(seen), 0.5)], axis=1)}


def policy(*filters, spaces=PLACE, actions=(), count=1, exploration=None, acting=values):
    pipelines = Pipelines.of(Filters(observation={"observation": filters} if filters else {}, action=actions), spaces)
    exploration = exploration or ToyEGreedy(epsilon=1.0)
    return Policy(
        agent=ToyQ(),
        exploration=exploration,
        pipelines=pipelines,
        acting=acting,
        filters=pipelines.init(count),
        explorer=exploration.init(spaces.action, count),
        rng=np.random.default_rng(0),
        count=count,
    )


def test_the_preferred_action_whatever_exploration_would_do():
    greedy = policy()
    assert [greedy.act(seen) for seen in ([1, 0], [0, 1], [0, 0])] == [0, 1, 2]
    assert greedy.explorer == {"random": 0}


@pytest.mark.parametrize("obs", [[1.0, 0.0], (1.0, 0.0), np.array([1.0, 0.0]), {"observation": np.array([1.0, 0.0])}])
def test_one_observation_as_the_environment_gives_it(obs):
    action = policy().act(obs)
    assert (action, type(action)) == (0, int)


def test_an_action_in_a_box_is_an_array():
    asked = []
    walker = policy(
        spaces=WALK, exploration=AsProposed(asked), acting=lambda obs: {"q": obs["observation"].astype(np.float32) / 2}
    )
    action = walker.act([1.0, -0.5])
    assert (action.tolist(), action.shape, action.dtype) == ([0.5, -0.25], (2,), np.float32)
    assert asked == [(WALK.action, 1, 0, True)]


def test_many_at_once():
    obs = {"observation": np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 2.0]])}
    assert policy(count=4).actions(obs, np.ones(4, bool)).tolist() == [0, 1, 2, 1]


def test_the_action_mapping_comes_after():
    mapped = policy(actions=(Flipped(),))
    assert [mapped.act(seen) for seen in ([1, 0], [0, 1], [0, 0])] == [2, 1, 0]


def test_the_agent_sees_through_the_filters():
    seen = []
    one = policy(Sum(), acting=lambda obs: seen.append(obs["observation"].tolist()) or values(obs))
    one.act([1.0, 0.0])
    one.act([1.0, 2.0])
    one.reset()
    one.act([0.0, 2.0])
    assert seen == [[[1.0, 0.0]], [[2.0, 2.0]], [[0.0, 2.0]]]


def test_what_filters_have_learned_stands_still():
    one = policy(Count())
    one.filters["observation"]["observation"][0] = 3.0
    seen = [
        one._observed({"observation": np.zeros((1, 2))}, np.array([True]))["observation"].tolist() for _ in range(2)
    ]
    assert seen == [[[3.0, 3.0]]] * 2
    assert one.filters["observation"]["observation"] == [3.0]


def test_each_environment_opens_its_episodes_alone():
    """Slow twin: four environments together see what four policies see, one each."""
    rng = np.random.default_rng(1)
    together, alone = policy(Sum(), count=4), [policy(Sum()) for _ in range(4)]
    for _ in range(12):
        obs, first = rng.normal(size=(4, 2)).astype(np.float32), rng.random(4) < 0.4
        seen = together._observed({"observation": obs}, first)["observation"]
        apart = [
            one._observed({"observation": obs[[env]]}, first[[env]])["observation"][0] for env, one in enumerate(alone)
        ]
        np.testing.assert_array_equal(seen, apart)
        assert seen.dtype == np.float32


def test_observations_without_filters_pass_beside_those_that_have_some():
    spaces = Spaces(observation={"observation": Box((2,)), "goal": Box((1,))}, action=Discrete(3))
    one = policy(Sum(), spaces=spaces, count=2)
    obs = {"observation": np.ones((2, 2), np.float32), "goal": np.array([[5.0], [6.0]])}
    one._observed(obs, np.array([True, True]))
    seen = one._observed(obs, np.array([True, False]))
    assert seen["goal"].tolist() == [[5.0], [6.0]]
    assert seen["observation"].tolist() == [[1.0, 1.0], [2.0, 2.0]]


@pytest.mark.parametrize(
    ("obs", "text"),
    [
        ([1.0, 2.0, 3.0], r"observation 'observation' has shape \(3,\), the policy expects \(2,\)"),
        (1.0, r"observation 'observation' has shape \(\), the policy expects \(2,\)"),
        ([[1.0, 2.0]], r"observation 'observation' has shape \(1, 2\), the policy expects \(2,\)"),
        ({"place": [1.0, 2.0], "goal": [0.0]}, "observation 'observation' is missing; got goal, place"),
    ],
)
def test_an_observation_of_another_shape(obs, text):
    one = policy(Sum())
    with pytest.raises(Mismatch, match=text):
        one.act(obs)
    assert one.act([1.0, 0.0]) == 0
    assert one.filters["observation"]["observation"][0].tolist() == [[1.0, 0.0]]


def test_an_agent_may_propose_more_than_preferences():
    """Whatever the agent makes of the outputs is what exploration is handed."""

    @attrs.frozen
    class Second:
        def propose(self, outputs):
            return Proposal(-outputs["q"])

    one = policy()
    one.agent = Second()
    assert one.act([0.0, 1.0]) == 0
