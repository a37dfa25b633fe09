"""Heads: shapes, arithmetic by hand, first weights, what they refuse, and that NumPy acts as Keras does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from parity import acting_of, acts_alike, drawn, filled, out, set_weights

from coach_networks.flow import Flow, flowing
from coach_networks.heads.categorical_q import CategoricalQ
from coach_networks.heads.deterministic_policy import DeterministicPolicy
from coach_networks.heads.discrete_policy import DiscretePolicy
from coach_networks.heads.dueling_q import DuelingQ
from coach_networks.heads.gaussian_policy import GaussianPolicy
from coach_networks.heads.q import Q
from coach_networks.heads.quantile_q import QuantileQ
from coach_networks.heads.rainbow_q import RainbowQ
from coach_networks.heads.squashed_gaussian_policy import SquashedGaussianPolicy
from coach_networks.heads.state_value import StateValue
from coach_networks.heads.twin_q import TwinQ
from coachcore.api import BadSetting, Box, Discrete, Mismatch

THREE, PAIR = Discrete(3), Box((2,), -1, 1)
VALUES = [Q(), DuelingQ(hidden=4), CategoricalQ(atoms=4), QuantileQ(quantiles=4), RainbowQ(atoms=4, hidden=5)]
NOISY = [
    Q(noisy=True),
    DuelingQ(hidden=4, noisy=True),
    CategoricalQ(atoms=4, noisy=True),
    QuantileQ(quantiles=4, noisy=True),
    RainbowQ(atoms=4, hidden=5),
]
CASES: list[tuple[Any, Any, tuple[int, ...]]] = [
    (Q(), THREE, (3,)),
    (Q(noisy=True), THREE, (3,)),
    (DuelingQ(hidden=4), THREE, (3,)),
    (DuelingQ(hidden=4, noisy=True, activation="tanh"), THREE, (3,)),
    (CategoricalQ(atoms=4), THREE, (3, 4)),
    (CategoricalQ(atoms=4, noisy=True), THREE, (3, 4)),
    (QuantileQ(quantiles=1), THREE, (3, 1)),
    (QuantileQ(quantiles=4, noisy=True), THREE, (3, 4)),
    (RainbowQ(atoms=4, hidden=5), THREE, (3, 4)),
    (RainbowQ(atoms=2, hidden=5, noisy=False, activation="elu"), THREE, (3, 2)),
    (StateValue(), THREE, ()),
    (StateValue(hidden=(6, 5), activation="tanh"), PAIR, ()),
    (DiscretePolicy(), THREE, (3,)),
    (GaussianPolicy(), PAIR, (2, 2)),
    (GaussianPolicy(deviation="network"), PAIR, (2, 2)),
    (SquashedGaussianPolicy(), PAIR, (2, 2)),
    (DeterministicPolicy(), PAIR, (2,)),
    (TwinQ(hidden=(6, 5)), PAIR, (2,)),
    (TwinQ(critics=1, hidden=()), PAIR, (1,)),
    (TwinQ(critics=5, hidden=(3,), activation="none"), PAIR, (5,)),
]


@pytest.mark.parametrize(("head", "action", "shape"), CASES)
def test_numpy_acts_as_keras_does(head: Any, action: Any, shape: tuple[int, ...]) -> None:
    assert acts_alike(head.build(action, 1), drawn(6, 5)).shape == (6, *shape)


@pytest.mark.parametrize(("head", "action", "shape"), CASES)
def test_one_row_acts_as_many_do(head: Any, action: Any, shape: tuple[int, ...]) -> None:
    x, layer = drawn(3, 5), head.build(action, 1)
    acting = acting_of(filled(layer, x), (5,))
    many = np.array(acting({"x": x})["y"])
    assert acting({"x": x[1:2]})["y"].shape == (1, *shape)
    np.testing.assert_allclose(acting({"x": x[1:2]})["y"][0], many[1], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("head", "action", "shape"), CASES)
def test_weights_follow_from_the_seed_alone(head: Any, action: Any, shape: tuple[int, ...]) -> None:
    def weights(seed: int) -> list[np.ndarray]:
        layer = head.build(action, seed)
        layer(drawn(1, 5))
        return [np.asarray(weight) for weight in layer.weights]

    first, again, other = weights(1), weights(1), weights(2)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert any(not np.array_equal(a, b) for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("head", NOISY)
def test_noisy_heads_move_with_the_noise_and_stand_still_without(head: Any) -> None:
    layer, x = head.build(THREE, 0), drawn(4, 5)
    still = out(layer, x)
    with flowing(Flow(normal=lambda shape: np.ones(shape, np.float32))):
        moved = out(layer, x)
    assert np.abs(moved - still).min() > 1e-4
    assert np.array_equal(out(layer, x), still)


@pytest.mark.parametrize("head", NOISY)
def test_acting_noise_spreads_as_the_noise_of_keras(head: Any) -> None:
    layer, x = head.build(THREE, 0), drawn(1, 5)
    filled(layer, x)
    rng = np.random.default_rng(3)
    with flowing(Flow(normal=lambda shape: rng.standard_normal(shape).astype(np.float32))):
        keras_draws = np.stack([out(layer, x)[0].ravel() for _ in range(400)])
    acting = acting_of(layer, (5,))
    numpy_draws = np.stack([np.array(acting({"x": x}, rng)["y"][0]).ravel() for _ in range(400)])
    error = np.hypot(keras_draws.std(0), numpy_draws.std(0)) / 20  # of a mean of 400
    assert np.all(np.abs(keras_draws.mean(0) - numpy_draws.mean(0)) < 6 * error)
    np.testing.assert_allclose(keras_draws.std(0), numpy_draws.std(0), rtol=0.5)


@pytest.mark.parametrize("head", [Q(), CategoricalQ(), QuantileQ(), DuelingQ()])
def test_heads_are_still_unless_asked(head: Any) -> None:
    layer, x = head.build(THREE, 0), drawn(2, 5)
    still = out(layer, x)
    with flowing(Flow(normal=lambda shape: np.ones(shape, np.float32))):
        assert np.array_equal(out(layer, x), still)


def test_rows_come_action_after_action() -> None:
    x = drawn(2, 5)
    for head in (CategoricalQ(atoms=4), QuantileQ(quantiles=4)):
        layer = head.build(THREE, 0)
        rows = out(layer, x)
        np.testing.assert_allclose(rows.reshape(2, 12), x @ np.asarray(layer.weights[0]), rtol=1e-5, atol=1e-6)


def test_dueling_sum_by_hand() -> None:
    layer = DuelingQ(hidden=1, activation="none").build(Discrete(2), 0)
    layer(np.ones((1, 1), np.float32))
    kernels = {"value_hidden/kernel": [[1.0]], "advantage_hidden/kernel": [[1.0]]}
    set_weights(layer, kernels | {"value/kernel": [[10.0]], "advantage/kernel": [[1.0, 3.0]]})
    assert out(layer, [[2.0]]).tolist() == [[18.0, 22.0]]


def test_the_dueling_sum_of_distributions_by_hand() -> None:
    # V = (1, 2) at the two points; advantages (0, 4) and (2, 8), whose mean over actions is (1, 6)
    layer = RainbowQ(atoms=2, hidden=1, activation="none", noisy=False).build(Discrete(2), 0)
    layer(np.ones((1, 1), np.float32))
    kernels = {"value_hidden/kernel": [[1.0]], "advantage_hidden/kernel": [[1.0]]}
    set_weights(layer, kernels | {"value/kernel": [[1.0, 2.0]], "advantage/kernel": [[0.0, 4.0, 2.0, 8.0]]})
    assert out(layer, [[1.0]]).tolist() == [[[0.0, 0.0], [2.0, 4.0]]]


def test_a_policy_begins_nearly_uniform() -> None:
    logits = out(DiscretePolicy().build(THREE, 0), drawn(50, 64))
    assert 0 < np.abs(logits).max() < 0.05
    layer = DiscretePolicy(gain=2.0).build(THREE, 0)
    layer(drawn(1, 8))
    kernel = np.asarray(layer.weights[0])
    np.testing.assert_allclose(kernel.T @ kernel, 4.0 * np.eye(3), atol=1e-5)


def test_a_state_value_begins_with_norm_one() -> None:
    layer = StateValue().build(THREE, 0)
    layer(drawn(1, 8))
    assert np.linalg.norm(np.asarray(layer.weights[0])) == pytest.approx(1.0, abs=1e-5)


def test_free_deviations_are_the_same_in_every_state() -> None:
    layer = GaussianPolicy(log_deviation=-0.5).build(PAIR, 0)
    given = out(layer, drawn(4, 5))
    assert given[:, 1].tolist() == [[-0.5, -0.5]] * 4
    assert np.abs(given[:, 0]).max() < 0.1
    assert sum(weight.path.endswith("log_deviation") for weight in layer.trainable_variables) == 1


def test_deviations_of_the_network_begin_where_asked_and_differ_by_state() -> None:
    logs = out(GaussianPolicy(deviation="network", log_deviation=-1.5).build(PAIR, 0), drawn(4, 5))[:, 1]
    assert logs == pytest.approx(np.full((4, 2), -1.5), abs=0.1)
    assert logs.std() > 0


def test_means_stand_before_logarithms() -> None:
    for head in (GaussianPolicy(deviation="network"), SquashedGaussianPolicy()):
        layer = head.build(PAIR, 0)
        layer(np.ones((1, 1), np.float32))
        set_weights(layer, {"kernel": [[1.0, 2.0, -1.0, 0.5]]})
        assert out(layer, [[1.0]]).tolist() == [[[1.0, 2.0], [-1.0, 0.5]]]


def test_the_deviation_of_a_squashed_policy_is_clipped_and_its_mean_is_not() -> None:
    layer = SquashedGaussianPolicy().build(PAIR, 0)
    layer(np.ones((1, 1), np.float32))
    set_weights(layer, {"kernel": [[50.0, -50.0, 50.0, -50.0]]})
    assert out(layer, [[1.0]]).tolist() == [[[50.0, -50.0], [2.0, -20.0]]]
    assert np.array(acting_of(layer, (1,))({"x": np.ones((1, 1), np.float32)})["y"]).tolist() == [
        [[50.0, -50.0], [2.0, -20.0]]
    ]


def test_a_deterministic_policy_begins_near_zero_and_never_leaves_the_box() -> None:
    layer, x = DeterministicPolicy().build(PAIR, 0), drawn(20, 30)
    first = out(layer, x)
    assert 0 < np.abs(first).max() < 0.2
    assert all(0 < np.abs(np.asarray(weight)).max() <= 3e-3 for weight in layer.weights)
    set_weights(layer, {"kernel": np.full((30, 2), 100.0)})
    assert np.abs(out(layer, x)).max() == 1.0


def test_critics_have_nothing_in_common() -> None:
    layer = TwinQ(hidden=(4,)).build(PAIR, 0)
    x = drawn(3, 5)
    first = out(layer, x)
    assert not np.allclose(first[:, 0], first[:, 1])
    mine = [weight for weight in layer.weights if "critic_0" in weight.path]
    assert len(mine) == 4 == len(layer.weights) / 2
    for weight in mine:
        weight.assign(np.zeros(weight.shape))
    assert out(layer, x)[:, 0].tolist() == [0, 0, 0]
    assert np.array_equal(out(layer, x)[:, 1], first[:, 1])


@pytest.mark.parametrize("only", [0, 1])
def test_one_critic_alone_says_what_it_says_beside_the_others(only: int) -> None:
    layer = TwinQ(hidden=(4,)).build(PAIR, 0)
    x = drawn(3, 5)
    together = out(layer, x)
    with flowing(Flow(only=only)):
        assert out(layer, x).tolist() == together[:, only : only + 1].tolist()


def test_the_hidden_layers_of_a_value_head_by_hand() -> None:
    layer = StateValue(hidden=(2,), activation="relu").build(PAIR, 0)
    layer(np.ones((1, 1), np.float32))
    set_weights(layer, {"dense_0/kernel": [[1.0, -1.0]], "last/kernel": [[2.0], [3.0]], "last/bias": [0.5]})
    assert out(layer, [[2.0], [-2.0]]).tolist() == [4.5, 6.5]


@pytest.mark.parametrize("head", [*VALUES, DiscretePolicy()])
def test_heads_for_discrete_actions_refuse_boxes_and_say_what_would_work(head: Any) -> None:
    with pytest.raises(Mismatch, match=r"the action space is a box of shape \(2,\); .*'box-discretization'"):
        head.build(PAIR, 0)


def test_the_head_that_would_fit_is_named() -> None:
    with pytest.raises(Mismatch, match=r"head 'discrete-policy' .* or use head 'gaussian-policy'"):
        DiscretePolicy().build(PAIR, 0)
    with pytest.raises(Mismatch, match="or use an agent for continuous actions"):
        Q().build(PAIR, 0)


@pytest.mark.parametrize(
    ("head", "instead"),
    [
        (GaussianPolicy(), "discrete-policy"),
        (SquashedGaussianPolicy(), "discrete-policy"),
        (DeterministicPolicy(), "discrete-policy"),
        (TwinQ(), "q"),
    ],
)
def test_heads_for_continuous_actions_refuse_others(head: Any, instead: str) -> None:
    with pytest.raises(Mismatch, match=f"has 3 discrete ones; use head '{instead}'"):
        head.build(THREE, 0)
    with pytest.raises(Mismatch, match=r"a vector of actions, the action space is a box of shape \(2, 2\)"):
        head.build(Box((2, 2)), 0)


@pytest.mark.parametrize(
    ("head", "given"),
    [
        (CategoricalQ, {"atoms": 1}),
        (RainbowQ, {"atoms": 1}),
        (QuantileQ, {"quantiles": 0}),
        (TwinQ, {"critics": 0}),
        (TwinQ, {"hidden": (64, 0)}),
        (StateValue, {"hidden": (0,)}),
        (DiscretePolicy, {"gain": 0.0}),
        (GaussianPolicy, {"deviation": "fixed"}),
        (DeterministicPolicy, {"limit": 0.0}),
    ],
)
def test_bad_settings_are_named(head: Any, given: dict[str, Any]) -> None:
    with pytest.raises(BadSetting, match=next(iter(given))):
        head(**given)
