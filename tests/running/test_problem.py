"""From an experiment to a problem: what fits, and what is refused."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from coachcore.component import component
from coachcore.contracts.agent import DataSpec, NetworkSpec
from coachcore.contracts.experiment import NetworkParts
from coachcore.errors import Mismatch
from coachcore.running.problem import carried, check_exploration, executor_for, plans_of, problem_of, remembering
from coachcore.settings import LearnerSettings, NetworkSettings
from coachcore.spaces import Box, Discrete, Spaces
from coachcore.testing.toys import ToyRing, toy_experiment
from coachcore.types import Proposal

SPACES = Spaces(observation={"o": Box((3,))}, action=Box((2,), -1, 1))
PICTURES = Spaces(observation={"o": Box((8, 8, 1), dtype="uint8")}, action=Discrete(2))


@component("agent", "toy-pair", executor="twin")
@attrs.frozen(kw_only=True)
class Pair:
    """An actor, a critic that is shown actions, and a number."""

    def data(self, _spaces):
        return DataSpec()

    def networks(self, _spaces):
        return {
            "actor": NetworkSpec(slots={"policy": "deterministic-policy"}),
            "critic": NetworkSpec(slots={"q": "critics"}, inputs=("action",), acts=False),
            "warmth": NetworkSpec(free={"t": 1.0}, acts=False),
        }

    def updates(self):
        return ()

    def propose(self, outputs):
        return Proposal(outputs["policy"])


@component("head", "toy-policy", provides="deterministic-policy")
@attrs.frozen(kw_only=True)
class Policy:
    """A head that is never built."""


@attrs.frozen
class Recurrent:
    """A middleware that remembers three numbers."""

    carry: int = 3


def experiment(**changes):
    networks = {
        "actor": NetworkParts(embedders={"o": None}, heads={"policy": Policy()}),
        "critic": NetworkParts(embedders={"o": None, "action": None}, heads={"q": None}),
        "warmth": NetworkParts(settings=NetworkSettings(learning_rate_factor=2.0)),
    }
    return toy_experiment(agent=Pair(), networks=networks | changes)


def test_every_network_has_its_own_parts():
    plans = plans_of(experiment(), SPACES)
    assert {name: (tuple(plan.embedders), tuple(plan.heads)) for name, plan in plans.items()} == {
        "actor": (("o",), ("policy",)),
        "critic": (("o", "action"), ("q",)),
        "warmth": ((), ()),
    }
    assert plans["warmth"].settings.learning_rate_factor == 2.0


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {"critic": NetworkParts(embedders={"o": None}, heads={"q": None})},
            "agent.networks.critic.embedders: the network has no embedder for 'action'; inputs: action, o",
        ),
        (
            {"actor": NetworkParts(embedders={"o": None})},
            "agent.networks.actor.heads: slot 'policy' needs a head that provides deterministic-policy",
        ),
        (
            {"critic": NetworkParts(embedders={"o": None, "action": None}, heads={"q": Policy()})},
            (
                "agent.networks.critic.heads.q: head 'toy-policy' provides deterministic-policy, "
                "but a box of actions here need critics"
            ),
        ),
        (
            {"actor": NetworkParts(embedders={"o": None}, heads={"policy": None}, middleware=Recurrent())},
            "agent.networks: a recurrent middleware needs an agent of one network",
        ),
    ],
)
def test_what_does_not_fit_is_refused(changes, text):
    with pytest.raises(Mismatch) as caught:
        plans_of(experiment(**changes), SPACES)
    assert str(caught.value) == text


def memorable(torso):
    network = NetworkParts(
        embedders={"observation": None},
        heads={"q": None},
        middleware=Recurrent(),
        settings=NetworkSettings(torso=torso),
    )
    spaces = Spaces(observation={"observation": Box((3,))}, action=Discrete(2))
    return spaces, plans_of(toy_experiment(networks={"main": network}), spaces)


@pytest.mark.parametrize("torso", ["shared", "separate"])
def test_a_recurrent_network_is_shown_what_it_remembers(torso):
    spaces, plans = memorable(torso)
    seen = remembering(spaces, plans)
    assert carried(plans["main"]) == 3  # one head, so one torso either way
    assert set(seen.observation) == {"observation", "carry", "first"}
    assert seen.observation["carry"].shape == (3,)
    settings = LearnerSettings(sequence=8)
    assert problem_of(toy_experiment(learner=settings), plans, seen, 0).sequence == 8
    assert problem_of(toy_experiment(learner=settings), plans, spaces, 0).sequence == 1


def test_the_names_it_needs_are_its_own():
    spaces, plans = memorable("shared")
    taken = Spaces(observation={**spaces.observation, "first": Box(())}, action=spaces.action)
    with pytest.raises(Mismatch, match="a recurrent network needs the name 'first' for itself"):
        remembering(taken, plans)


def test_executors_follow_from_agent_and_observations():
    remembered = Spaces(observation={"o": Box((3,)), "carry": Box((4,)), "first": Box(())}, action=Discrete(2))
    assert executor_for("small", SPACES) == "small"
    assert executor_for("twin", SPACES) == "twin"
    assert executor_for("small", PICTURES) == "conv"
    assert executor_for("small", remembered) == "twin"


def test_what_the_memory_says_reaches_the_problem():
    spaces = Spaces(observation={"observation": Box((3,))}, action=Discrete(2))
    made = toy_experiment(memory=ToyRing())
    problem = problem_of(made, plans_of(made, spaces), spaces, 5)
    assert (problem.weighted, problem.seed, problem.executor) == (False, 5, "small")


@pytest.mark.parametrize(
    ("asked", "looks", "instead"),
    [
        ("deviation", "draws from the network's own deviation", "'additive-noise'"),
        ("ensemble", "looks at the values of several heads", "agent 'bootstrapped-dqn', or 'e-greedy'"),
    ],
)
def test_a_policy_that_asks_for_what_the_agent_does_not_give(asked, looks, instead):
    @component("exploration", "toy-asking", asks=asked)
    @attrs.frozen(kw_only=True)
    class Asking:
        """Never asked to choose."""

    wish = Proposal(np.zeros((1, 2)))
    with pytest.raises(Mismatch) as caught:
        check_exploration(Asking(), {}, lambda: wish)
    said = f"exploration: 'toy-asking' {looks}, and this agent's network gives none - use {instead}"
    assert str(caught.value) == said
    check_exploration(Asking(), {}, lambda: wish._replace(**{asked: np.zeros((1, 2))}))
