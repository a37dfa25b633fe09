"""Evaluation and the policy by itself."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from coachcore.component import component
from coachcore.contracts.experiment import Filters
from coachcore.errors import Mismatch
from coachcore.running.evaluate import Score, evaluate, play
from coachcore.running.loop import train
from coachcore.running.machine import Machine
from coachcore.testing.toys import ToySigns, toy_experiment
from coachcore.types import Rows


@component("filter", "toy-last-two", acts_on="observation", episodic=True)
@attrs.frozen(kw_only=True)
class LastDifference:
    """The observation less the one before it in the same episode; the first one less itself."""

    def space(self, before):
        return before

    def init(self, before, count):
        return np.zeros((count, *before.shape), np.float32)

    def __call__(self, state, values, rows: Rows):
        earlier = values if rows.first else state[rows.envs]
        after = state.copy()
        after[rows.envs] = values
        return after, values - earlier


def trained(**changes):
    machine = Machine(toy_experiment(**changes))
    for _ in train(machine):
        machine.paused = False
    return machine


def test_score_by_hand():
    score = Score((1.0, 3.0), (10, 20))
    assert score.summary() == {"mean": 2.0, "std": 1.0, "min": 1.0, "max": 3.0, "length": 15.0, "episodes": 2}


@pytest.mark.parametrize(("goal", "share"), [(0.0, 0.75), (1.0, 0.5), (3.5, 0.0)])
def test_success_is_a_return_that_reaches_the_goal(goal, share):
    """A goal of 0 is a goal, which the old system took for none."""
    assert Score((-1.0, 0.0, 1.0, 3.0), (10,) * 4, goal).summary()["success"] == share


def test_the_environment_says_what_counts_as_success():
    environment = ToySigns().make(1)
    policy = trained().policy()
    assert "success" not in evaluate(policy, environment, [5]).summary()
    environment.spaces = attrs.evolve(environment.spaces, success=-1000.0)
    assert evaluate(policy, environment, [5]).summary()["success"] == 1.0


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_each_seed_is_played_once_whatever_the_count(count):
    machine = trained()
    seeds = [5, 6, 7, 8, 9]
    alone = evaluate(machine.policy(), ToySigns().make(1), seeds)
    together = evaluate(machine.policy(), ToySigns().make(count), seeds)
    assert together == alone
    assert together.lengths == (10,) * 5


def test_episodes_are_told_as_they_end():
    played = list(play(trained().policy(), ToySigns().make(2), [1, 2, 3]))
    assert sorted(one.episode for one in played) == [0, 1, 2]


def test_frames_are_asked_for_before_each_step():
    seen = []
    evaluate(trained().policy(), ToySigns(length=4).make(1), [1, 2], on_step=seen.append)
    assert seen == [0] * 4 + [1] * 4


def test_a_policy_acts_on_one_observation():
    policy = trained().policy()
    assert policy.act(np.array([1.0, 0.0, 0.0])) == 1
    assert policy.act({"observation": [-1.0, 0.0, 0.0]}) == 0
    assert isinstance(policy.act([1.0, 0.0, 0.0]), int)


@pytest.mark.parametrize(
    ("obs", "text"),
    [
        ([1.0, 2.0], r"observation 'observation' has shape \(2,\), the policy expects \(3,\)"),
        ({"view": [1.0]}, "observation 'observation' is missing; got view"),
    ],
)
def test_observations_of_another_shape(obs, text):
    with pytest.raises(Mismatch, match=text):
        trained().policy().act(obs)


def test_episodic_filters_move_on_within_an_evaluation_only():
    machine = trained(filters=Filters(observation={"observation": (LastDifference(),)}), environments=2)
    before = machine.filters["observation"]["observation"][0].copy()
    policy = machine.policy()
    first = np.array([[1.0, 0, 0], [0, 0, 0]], np.float32)
    seen = policy._observed({"observation": first}, np.array([True, True]))["observation"]
    assert seen.tolist() == [[0, 0, 0], [0, 0, 0]]
    seen = policy._observed({"observation": first + 2}, np.array([False, True]))["observation"]
    assert seen.tolist() == [[2, 2, 2], [0, 0, 0]]
    assert np.array_equal(machine.filters["observation"]["observation"][0], before)


def test_reset_opens_a_new_episode():
    machine = trained(filters=Filters(observation={"observation": (LastDifference(),)}))
    policy = machine.policy()
    one = policy.act([1.0, 0.5, 0.5])
    policy.act([-1.0, 0.6, 0.5])
    policy.reset()
    assert policy.act([1.0, 0.5, 0.5]) == one
