"""Steps of the linear learner by hand, and against TensorFlow where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest

from coach_toys.engine import NumPy
from coachcore.api import BadCheckpoint, Box, Duration, LearnerSettings, NetworkSettings, Problem
from coachcore.testing.engine import PLAIN, drawn

Make = Callable[..., Problem]


def test_a_step_by_hand(made: Make) -> None:
    """One minibatch: W moves by rate times the mean of x times the error, at the action taken."""
    given = made()
    learner, sample = NumPy().make(given), drawn(given, 1)
    kernel, bias = (weight.copy() for weight in learner._weights)
    slices, rows = given.layout.packed, sample.packed[0].astype(np.float64)
    before, after = rows[:, slices["obs.observation"]], rows[:, slices["next_obs.observation"]]
    for i in range(len(rows)):
        action = int(rows[i, slices["action"]][0])
        best = max(after[i] @ learner._weights[0] + learner._weights[1])
        wanted = rows[i, slices["reward"]][0] + rows[i, slices["discount"]][0] * best
        error = before[i] @ learner._weights[0][:, action] + learner._weights[1][action] - wanted
        kernel[:, action] -= 0.1 * error * before[i] / len(rows)
        bias[action] -= 0.1 * error / len(rows)
    weights = learner.train(sample, 0.1).weights
    np.testing.assert_allclose(weights, np.concatenate([kernel.ravel(), bias]), rtol=1e-6)


def test_targets_are_mixed_when_they_fall_due(made: Make) -> None:
    given = made(settings=attrs.evolve(PLAIN, target_every=Duration.parse("3 updates"), target_rate=0.25))
    learner = NumPy().make(given)
    first = learner._weights[0].copy()
    learner.train(drawn(given, 2), 0.1)
    np.testing.assert_array_equal(learner._target[0], first)
    learner.train(drawn(given, 1, seed=5), 0.1)
    np.testing.assert_allclose(learner._target[0], first + 0.25 * (learner._weights[0] - first))


def test_a_state_of_another_network_is_refused(made: Make) -> None:
    learner, other = NumPy().make(made()), NumPy().make(made({"observation": Box((4,))}))
    with pytest.raises(BadCheckpoint, match=r"it holds a network of other weights, \[\(4, 2\), \(2,\)\]"):
        learner.restore(other.state())


def test_summary(made: Make) -> None:
    assert NumPy().make(made()).summary() == "main: observation [3] -> q [2], 8 weights"


@pytest.mark.parametrize(
    ("settings", "own"),
    [
        ({"optimizer": "adam"}, {}),
        ({"optimizer": "sgd", "beta1": 0.9}, {}),
        ({"gradient_clip": 0.05}, {}),
        ({"gradient_clip": 0.05, "gradient_clip_by": "norm"}, {"l2": 0.1}),
        ({"gradient_clip": 0.05, "gradient_clip_by": "value"}, {"learning_rate_factor": 0.5}),
        ({"target_rate": 0.1, "target_every": Duration.parse("1 updates")}, {"l2": 0.1}),
    ],
)
def test_weights_move_as_they_do_in_tensorflow(settings: dict[str, Any], own: dict[str, Any], made: Make) -> None:
    """The same agent and parts, differentiated by a backend instead of by hand."""
    tensorflow = pytest.importorskip("coach_tensorflow.engine")
    given = made(
        settings=LearnerSettings(batch_size=4, **settings), parts={"settings": NetworkSettings(**own)}, weighted=True
    )
    ours, theirs, sample = NumPy().make(given), tensorflow.TensorFlow().make(given), drawn(given, 5)
    sample = sample._replace(weight=np.random.default_rng(1).random(sample.rows.shape, np.float32))
    begin = theirs.acting()[1].astype(np.float64)  # kernel and bias come in the same order
    ours._weights = ours._target = (begin[:6].reshape(3, 2), begin[6:])
    one, other = ours.train(sample, 0.05), theirs.train(sample, 0.05)
    np.testing.assert_allclose(one.weights, other.weights, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(one.priority, other.priority, rtol=1e-4, atol=1e-5)
    assert set(ours.metric_names) == set(theirs.metric_names)
    for name in ours.metric_names:
        mine, its = one.metrics[ours.metric_names.index(name)], other.metrics[theirs.metric_names.index(name)]
        assert mine == pytest.approx(its, rel=1e-4, abs=1e-6), name
    again, also = ours.train(sample, 0.05), theirs.train(sample, 0.05)
    np.testing.assert_allclose(again.weights, also.weights, rtol=1e-4, atol=1e-6)
