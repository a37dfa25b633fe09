"""The toys are sound parts, and their arithmetic is what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coachcore.acting import ActingNetwork
from coachcore.contracts.agent import NetworkPlan, NetworkSpec
from coachcore.contracts.engine import Problem
from coachcore.errors import BadCheckpoint, BadSetting, Mismatch
from coachcore.layout import Column, Layout
from coachcore.running.loop import train
from coachcore.running.machine import Machine
from coachcore.settings import LearnerSettings
from coachcore.spaces import Box, Discrete, Spaces
from coachcore.testing.exploration import check_exploration
from coachcore.testing.laws import same
from coachcore.testing.memory import check_memory
from coachcore.testing.toy_learning import SLOTS, ToyEngine, ToyQ, _batch
from coachcore.testing.toys import ToyEGreedy, ToyRing, ToySigns, toy_experiment
from coachcore.types import Batch, Pair, Sample

PLACE = Spaces(observation={"observation": Box((2,))}, action=Discrete(2))
PICTURE = Spaces(observation={"eye": Box((2, 2), 0, 255, "uint8"), "place": Box(())}, action=Discrete(3))


def learner(spaces: Spaces = PLACE, **settings: Any) -> Any:
    spec = NetworkSpec(slots=SLOTS, target=True)
    plan = NetworkPlan(spec=spec, embedders={}, middleware=None, heads={})
    known = LearnerSettings(**({"target_every": "2 updates"} | settings))
    problem = Problem(
        agent=ToyQ(), networks={"main": plan}, spaces=spaces, layout=Layout.of(spaces), settings=known, seed=5
    )
    return ToyEngine().make(problem)


def signs(steps: list[int], **settings: Any) -> list[tuple[float, bool, bool]]:
    environment = ToySigns(**settings).make(1)
    environment.reset([0], [1])
    shown = [environment.step(np.array([answer])) for answer in steps]
    return [(float(step.reward[0]), bool(step.terminated[0]), bool(step.truncated[0])) for step in shown]


def test_signs_by_hand() -> None:
    """PCG64(1) draws 0, 1, 1: signs -1, 1, 1."""
    environment = ToySigns(length=2).make(2, render=True)
    obs = environment.reset([0, 1], [1, 1])
    np.testing.assert_array_equal(obs["observation"], [[-1, 0, 0], [-1, 0, 0]])
    picture = environment.render()
    assert picture is not None
    assert picture.max() == 0
    step = environment.step(np.array([0, 1]))
    np.testing.assert_array_equal(step.reward, [1.0, 0.0])
    np.testing.assert_array_equal(step.obs["observation"], np.array([[1, 0.5, 0.5], [1, 0.5, 0]], np.float32))
    step = environment.step(np.array([1, 1]))
    np.testing.assert_array_equal(step.obs["observation"][:, 1:], [[1.0, 1.0], [1.0, 0.5]])
    assert step.terminated.tolist() == [True, True]


def test_signs_end_as_they_are_told() -> None:
    assert [step[1:] for step in signs([0, 0, 0], length=3)] == [(False, False), (False, False), (True, False)]
    assert [step[1:] for step in signs([0, 0], length=3, limit=2)] == [(False, False), (False, True)]
    assert [step[1:] for step in signs([0, 0], length=2, limit=2)] == [(False, False), (True, False)]


def test_signs_in_a_box() -> None:
    environment = ToySigns(actions="box").make(1)
    environment.reset([0], [1])  # the sign is -1
    assert environment.step(np.array([[-0.5]], np.float32)).reward.tolist() == [0.75]
    environment.reset([0], [1])
    assert environment.step(np.array([[7.0]], np.float32)).reward.tolist() == [0.0]


def test_signs_that_go_wrong() -> None:
    assert [np.isnan(step[0]) for step in signs([0, 0, 0], nan_at=2)] == [False, True, False]
    with pytest.raises(RuntimeError, match="toy environment 0 crashes at step 2"):
        signs([0, 0], crash_at=2)


def test_memory_and_exploration_keep_their_contracts() -> None:
    check_memory(ToyRing(capacity=64), Layout.of(PLACE))
    check_memory(ToyRing(capacity=48), Layout.of(PICTURE, (Column("extra", (2,)),)))
    for epsilon in (0.0, 0.3, 1.0):
        check_exploration(ToyEGreedy(epsilon=epsilon), Discrete(3))
    with pytest.raises(BadSetting):
        ToyRing(capacity=0)


def test_the_loss_by_hand() -> None:
    """Q = 2, target 1 + 0.5 * 3 = 2.5: error -0.5, loss 0.125."""
    nets = {"main": Pair(lambda _: {"q": np.array([[7.0, 2.0]])}, lambda _: {"q": np.array([[3.0, 1.0]])})}
    batch = Batch({}, np.array([1]), np.array([1.0]), np.array([0.5]), {})
    out = ToyQ().errors(nets, batch)
    assert (out.loss.tolist(), out.priority.tolist(), out.metrics["q"].tolist()) == ([0.125], [0.5], [2.0])


def packed(*rows: list[float]) -> Sample:
    return Sample(np.zeros((1, len(rows)), np.int64), np.array([rows], np.float32))


def test_one_update_by_hand() -> None:
    """From zero weights: error 0 - 2 for action 1 at x = (1, 3), so each weight moves by 0.1 * 2 * (1, 3, 1)."""
    mind = learner()
    mind.restore({"weights": np.zeros((3, 2)), "target": np.zeros((3, 2)), "updates": 0})
    out = mind.train(packed([1, 3, 1, 2, 0, 0, 0]), 0.1)  # obs, action, reward, discount, next_obs
    np.testing.assert_allclose(out.weights.reshape(3, 2), [[0, 0.2], [0, 0.6], [0, 0.2]], atol=1e-6)
    np.testing.assert_allclose(out.priority, [[2.0]])
    np.testing.assert_allclose(out.metrics, [2.0, 0.0])
    assert mind.metric_names == ("loss", "q")


def test_importance_weights_scale_and_clipping_limits() -> None:
    for change, moved in (({"gradient_clip": 1.0}, 0.1 / 11**0.5), ({}, 0.1)):
        mind = learner(**change)
        mind.restore({"weights": np.zeros((3, 2)), "target": np.zeros((3, 2)), "updates": 0})
        sample = packed([1, 3, 1, 2, 0, 0, 0])._replace(weight=np.array([[0.5]], np.float32))
        out = mind.train(sample, 0.1)
        assert out.weights[1] == pytest.approx(moved, rel=1e-5)
        assert out.metrics[0] == pytest.approx(1.0)  # half of the loss 2


def test_the_gradient_is_that_of_the_squared_error() -> None:
    """Slow twin: the formula for a linear Q, against the nudged slopes."""
    mind, rng = learner(), np.random.default_rng(3)
    rows = rng.normal(size=(8, 7))
    rows[:, 2], rows[:, 4] = rng.integers(0, 2, 8), 0.9
    before = mind.state()
    mind.train(packed(*rows.tolist()), 0.1)
    rows = rows.astype(np.float32).astype(np.float64)
    weights = before["weights"].copy()
    for row in rows:
        x, after, action = np.append(row[:2], 1), np.append(row[5:], 1), int(row[2])
        error = x @ before["weights"][:, action] - (row[3] + row[4] * (after @ before["target"]).max())
        weights[:, action] -= 0.1 * error * x / 8
    np.testing.assert_allclose(mind.state()["weights"], weights, atol=1e-9)


def test_targets_are_copied_when_they_fall_due() -> None:
    mind = learner(target_rate=0.5)
    start = mind.state()
    mind.train(packed([1, 3, 1, 2, 0, 0, 0]), 0.1)
    assert same(mind.state()["target"], start["target"])
    mind.train(packed([1, 3, 1, 2, 0, 0, 0]), 0.1)
    now = mind.state()
    np.testing.assert_allclose(now["target"], (start["target"] + now["weights"]) / 2)


@pytest.mark.parametrize("spaces", [PLACE, PICTURE])
def test_the_program_acts_as_the_network_does(spaces: Spaces) -> None:
    mind, rng = learner(spaces), np.random.default_rng(0)
    program, weights = mind.acting()
    acting = ActingNetwork(program)
    acting.load(weights)
    obs = {name: space.sample(rng, 5) for name, space in spaces.observation.items()}
    np.testing.assert_allclose(acting(obs)["q"], mind.forward(obs)["q"], rtol=1e-5, atol=1e-5)
    assert mind.forward(obs)["q"].shape == (5, spaces.action.n)  # type: ignore[union-attr]


def test_a_saved_learner_goes_on_bit_for_bit() -> None:
    one, other = learner(), learner()
    one.train(packed([1, 3, 1, 2, 0, 0, 0]), 0.1)
    other.restore(one.state())
    for mind in (one, other):
        mind.train(packed([2, 1, 0, 1, 0.9, 1, 1]), 0.1)
    assert same(one.state(), other.state())
    with pytest.raises(BadCheckpoint, match="this network has"):
        learner(PICTURE).restore(one.state())
    assert one.summary() == "main: 2 features -> q [2], 6 weights"


def test_columns_that_an_agent_keeps_reach_its_loss() -> None:
    columns = {"obs.place": np.zeros((2, 2)), "action": np.ones(2), "reward": np.zeros(2), "discount": np.zeros(2)}
    columns |= {"next_obs.place": np.ones((2, 2)), "probability": np.array([0.25, 0.5])}
    spaces = Spaces(observation={"place": Box((2,))}, action=Discrete(2))
    batch = _batch(Layout.of(spaces, (Column("probability"),)), columns)
    assert {name: values.tolist() for name, values in batch.extras.items()} == {"probability": [0.25, 0.5]}
    assert (list(batch.obs), list(batch.next_obs), batch.action.dtype) == (["place"], ["place"], np.int64)


def test_what_does_not_fit_is_refused() -> None:
    boxed = Spaces(observation=PLACE.observation, action=Box((1,)))
    with pytest.raises(Mismatch, match="toy-q chooses among discrete actions"):
        ToyQ().networks(boxed)
    with pytest.raises(Mismatch, match="toy-numpy values discrete actions"):
        learner(boxed)
    plan = NetworkPlan(spec=NetworkSpec(slots={"v": "state-value"}), embedders={}, middleware=None, heads={})
    problem = Problem(
        agent=ToyQ(), networks={"main": plan}, spaces=PLACE, layout=Layout.of(PLACE), settings=LearnerSettings()
    )
    with pytest.raises(Mismatch, match="one network, 'main', with one head, 'q'"):
        ToyEngine().make(problem)


def test_toys_learn_the_signs() -> None:
    machine = Machine(toy_experiment())
    means = [event.data["mean"] for event in train(machine) if event.kind == "evaluation"]
    machine.close()
    assert max(means) == 10.0


def test_equal_seeds_give_equal_runs() -> None:
    runs = [list(train(Machine(toy_experiment(environments=2, seed=seed)))) for seed in (4, 4, 5)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]
