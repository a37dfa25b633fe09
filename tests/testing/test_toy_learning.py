"""The toy agent and the toy engine: their arithmetic by hand, and what every engine must keep true."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coachcore.acting import ActingNetwork
from coachcore.component import spec_of
from coachcore.contracts.agent import NetworkPlan, NetworkSpec
from coachcore.contracts.engine import Problem
from coachcore.errors import BadCheckpoint, BadSetting, Mismatch
from coachcore.layout import Column, Layout
from coachcore.settings import LearnerSettings
from coachcore.spaces import Box, Discrete, Spaces
from coachcore.testing.laws import same
from coachcore.testing.toy_learning import SLOTS, ToyEngine, ToyQ, _batch
from coachcore.types import Batch, Pair, Sample

PLACE = Spaces(observation={"observation": Box((2,))}, action=Discrete(2))
PICTURE = Spaces(observation={"eye": Box((2, 2), 0, 255, "uint8"), "place": Box(())}, action=Discrete(3))
ZERO = {"weights": np.zeros((3, 2)), "target": np.zeros((3, 2)), "updates": 0}


def learner(spaces: Spaces = PLACE, **settings: Any) -> Any:
    spec = NetworkSpec(slots=SLOTS, target=True)
    plan = NetworkPlan(spec=spec, embedders={}, middleware=None, heads={})
    known = LearnerSettings(**({"target_every": "2 updates"} | settings))
    problem = Problem(
        agent=ToyQ(), networks={"main": plan}, spaces=spaces, layout=Layout.of(spaces), settings=known, seed=5
    )
    return ToyEngine().make(problem)


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
    mind.restore(ZERO)
    out = mind.train(packed([1, 3, 1, 2, 0, 0, 0]), 0.1)  # obs, action, reward, discount, next_obs
    np.testing.assert_allclose(out.weights.reshape(3, 2), [[0, 0.2], [0, 0.6], [0, 0.2]], atol=1e-6)
    np.testing.assert_allclose(out.priority, [[2.0]])
    np.testing.assert_allclose(out.metrics, [2.0, 0.0])
    assert mind.metric_names == ("loss", "q")


def test_importance_weights_scale_and_clipping_limits() -> None:
    for change, moved in (({"gradient_clip": 1.0}, 0.1 / 11**0.5), ({}, 0.1)):
        mind = learner(**change)
        mind.restore(ZERO)
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


def test_what_the_agent_says_of_itself() -> None:
    spec = spec_of(ToyQ)
    assert (spec.kind, spec.name, spec.facts["slots"]) == ("agent", "toy-q", SLOTS)
    assert ToyQ().networks(PLACE) == {"main": NetworkSpec(slots=SLOTS, target=True)}
    part = ToyQ()
    assert [(update.moves, update.loss) for update in part.updates()] == [("main", part.errors)]
    preferences = np.array([[0.0, 1.0]], np.float32)
    assert ToyQ().propose({"q": preferences}).preferences is preferences


@pytest.mark.parametrize("settings", [{"discount": 0.0}, {"discount": 1.1}, {"n_step": 0}])
def test_settings_out_of_range(settings: dict[str, float]) -> None:
    with pytest.raises(BadSetting, match=next(iter(settings))):
        ToyQ(**settings)  # type: ignore[arg-type]


def test_past_a_terminal_step_only_the_reward_counts() -> None:
    nets = {"main": Pair(lambda _: {"q": np.array([[7.0, 2.0]])}, lambda _: {"q": np.array([[1e9, 1e9]])})}
    out = ToyQ().errors(nets, Batch({}, np.array([0]), np.array([4.0]), np.array([0.0]), {}))
    assert out.loss.tolist() == [4.5]


def test_the_seed_decides_the_first_weights() -> None:
    one, again = learner().state()["weights"], learner().state()["weights"]
    assert same(one, again)
    assert 0 < np.abs(one).max() < 0.1
    assert same(learner().state()["target"], one)


def rows(calls: int, batch: int, width: int = 7) -> np.ndarray:
    """Minibatches ``[calls, batch, 7]`` of PLACE: obs, action, reward, discount, next_obs."""
    rng = np.random.default_rng(0)
    made = rng.normal(size=(calls, batch, width)).astype(np.float32)
    made[:, :, 2], made[:, :, 4] = rng.integers(0, 2, (calls, batch)), 0.9
    return made


def test_several_updates_in_one_call_are_one_after_the_other() -> None:
    together, apart, minibatches = learner(), learner(), rows(5, 4)
    whole = together.train(Sample(np.zeros((5, 4), np.int64), minibatches), 0.1)
    each = [apart.train(Sample(np.zeros((1, 4), np.int64), one[None]), 0.1) for one in minibatches]
    assert same(together.state(), apart.state())
    assert together.state()["updates"] == 5
    assert (whole.priority.shape, whole.priority.dtype) == ((5, 4), np.float32)
    np.testing.assert_array_equal(whole.priority, np.concatenate([one.priority for one in each]))
    np.testing.assert_allclose(whole.metrics, np.mean([one.metrics for one in each], axis=0), rtol=1e-6)
    np.testing.assert_array_equal(whole.weights, each[-1].weights)


def test_weights_handed_out_stay_as_they_were() -> None:
    mind = learner()
    kept = [mind.acting()[1], mind.train(Sample(np.zeros((1, 4), np.int64), rows(1, 4)), 0.1).weights]
    before = [weights.copy() for weights in kept]
    mind.train(Sample(np.zeros((1, 4), np.int64), rows(1, 4)), 0.1)
    assert same(kept, before)
    assert not np.array_equal(mind.acting()[1], before[1])


def test_a_saved_state_stays_as_it_was() -> None:
    mind = learner()
    saved = mind.state()
    kept = {name: np.copy(value) for name, value in saved.items()}
    mind.train(Sample(np.zeros((1, 4), np.int64), rows(1, 4)), 0.1)
    assert same({name: np.copy(value) for name, value in saved.items()}, kept)


def test_pictures_lie_beside_the_packed_row() -> None:
    """One white pixel and place 2: the row moves only where the features are not 0, and the bias."""
    mind = learner(PICTURE)
    mind.restore({"weights": np.zeros((6, 3)), "target": np.zeros((6, 3)), "updates": 0})
    eye = np.zeros((1, 1, 2, 2), np.uint8)
    eye[0, 0, 1, 0] = 10
    sample = Sample(
        np.zeros((1, 1), np.int64),
        np.array([[[2, 1, 5, 0, 0]]], np.float32),  # obs.place, action, reward, discount, next_obs.place
        apart={"obs.eye": eye, "next_obs.eye": eye},
    )
    out = mind.train(sample, 0.01)
    moved = out.weights.reshape(6, 3)
    np.testing.assert_allclose(moved[:, 1], [0, 0, 0.5, 0, 0.1, 0.05], rtol=1e-5)
    assert not moved[:, [0, 2]].any()
