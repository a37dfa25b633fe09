"""Policies told by tensors: by hand, by numerical integration, and where float32 ends."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coach_networks.arithmetic import (
    clipped_surrogate,
    cross_entropy,
    entropy,
    expected,
    gaussian,
    kl,
    log_prob,
    log_prob_before_tanh,
    normalized,
    pick,
    policy_entropy,
    squashed_log_prob,
    squashed_sample,
)

FEW = settings(
    deadline=None, max_examples=min(30, settings().max_examples)
)  # every new shape is compiled on some backends
DRAWS = st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(0, 999))
RULED_OUT = np.array([[0.0, 0.0, -np.inf]], np.float32)
GRID = np.linspace(-12, 12, 4801)


def plain(values: Any) -> Any:
    return np.asarray(values).tolist()


def slope(function: Callable[[Any], Any], at: Any) -> np.ndarray:
    """The gradient of the sum of `function` at an array, by whichever backend Keras stands on."""
    name = keras.backend.backend()
    backend = importlib.import_module(name)
    if name == "jax":
        return np.asarray(backend.grad(lambda x: keras.ops.sum(function(x)))(keras.ops.convert_to_tensor(at)))
    with backend.GradientTape() as tape:
        x = backend.constant(at)
        tape.watch(x)
        total = keras.ops.sum(function(x))
    return np.asarray(tape.gradient(total, x))


def drawn_logits(rows: int, actions: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(scale=3, size=(rows, actions)).astype(np.float32)


def drawn_gaussian(rows: int, actions: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    means, logs = rng.normal(size=(rows, actions)), rng.uniform(-1.5, 0.5, (rows, actions))
    return np.stack([means, logs], axis=1).astype(np.float32)


def probabilities(logits: np.ndarray) -> np.ndarray:
    raised = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def density(policy: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Of the first row and action of a Gaussian policy, in float64."""
    mean, deviation = float(policy[0, 0, 0]), math.exp(policy[0, 1, 0])
    return np.exp(-(((places - mean) / deviation) ** 2) / 2) / deviation / math.sqrt(2 * math.pi)


# discrete


def test_log_probability_of_an_action_by_hand() -> None:
    logits = np.log(np.array([[1.0, 3.0], [2.0, 2.0]], np.float32))
    assert plain(log_prob(logits, np.array([0, 1]))) == pytest.approx([math.log(0.25), math.log(0.5)])
    assert plain(log_prob(logits, np.array([1.0, 0.0]))) == pytest.approx([math.log(0.75), math.log(0.5)])


def test_entropy_and_divergence_of_logits_by_hand() -> None:
    even, uneven = np.log(np.array([[[0.5, 0.5]], [[0.25, 0.75]]], np.float32))
    assert plain(policy_entropy(even)) == pytest.approx([math.log(2)])
    assert plain(kl(even, uneven)) == pytest.approx([0.5 * math.log(2) + 0.5 * math.log(2 / 3)])
    assert plain(kl(uneven, even)) == pytest.approx([0.25 * math.log(0.5) + 0.75 * math.log(1.5)])


def test_logits_far_apart_stay_finite() -> None:
    logits = np.array([[1000.0, 0.0]], np.float32)
    assert plain(log_prob(logits, np.array([1]))) == [-1000.0]
    assert plain(policy_entropy(logits)) == [0.0]
    assert plain(kl(logits, logits[:, ::-1])) == [1000.0]


def test_an_action_ruled_out_counts_for_nothing() -> None:
    assert plain(policy_entropy(RULED_OUT)) == pytest.approx([math.log(2)])
    assert plain(kl(RULED_OUT, RULED_OUT)) == [0.0]
    assert plain(log_prob(RULED_OUT, np.array([0]))) == pytest.approx([-math.log(2)])
    assert plain(np.exp(log_prob(RULED_OUT, np.array([2])))) == [0.0]
    assert plain(expected(RULED_OUT, np.array([[1.0, 3.0, 100.0]], np.float32))) == pytest.approx([2.0])


@pytest.mark.parametrize(
    "function",
    [
        policy_entropy,
        lambda x: kl(RULED_OUT, x),
        lambda x: log_prob(x, np.array([1])),
        lambda x: expected(x, np.array([[1.0, 3.0, 100.0]], np.float32)),
    ],
)
def test_gradients_pass_by_an_action_ruled_out(function: Any) -> None:
    found = slope(function, RULED_OUT)
    assert np.all(np.isfinite(found))
    assert found[0, 2] == 0


@FEW
@given(DRAWS)
def test_discrete_policies_equal_their_slow_twins(sizes: tuple[int, int, int]) -> None:
    rows, actions, seed = sizes
    logits, other = drawn_logits(*sizes), drawn_logits(rows, actions, seed + 1)
    p, q = probabilities(logits), probabilities(other)
    chosen = np.random.default_rng(seed).integers(0, actions, rows)
    np.testing.assert_allclose(
        log_prob(logits, chosen), [math.log(row[a]) for row, a in zip(p, chosen, strict=True)], atol=1e-5
    )
    np.testing.assert_allclose(policy_entropy(logits), [-sum(x * math.log(x) for x in row) for row in p], atol=1e-5)
    slow = [sum(x * math.log(x / y) for x, y in zip(*both, strict=True)) for both in zip(p, q, strict=True)]
    np.testing.assert_allclose(kl(logits, other), slow, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(expected(logits, other), (p * other).sum(axis=1), rtol=1e-4, atol=1e-5)


@FEW
@given(DRAWS, st.floats(-50, 50, width=32))
def test_laws_of_discrete_policies(sizes: tuple[int, int, int], shift: float) -> None:
    rows, actions, seed = sizes
    logits, other = drawn_logits(*sizes), drawn_logits(rows, actions, seed + 1)
    p = probabilities(logits).astype(np.float32)
    each = [np.exp(log_prob(logits, np.full(rows, a))) for a in range(actions)]
    assert sum(each) == pytest.approx(1, abs=1e-5)
    assert np.all(np.asarray(policy_entropy(logits)) <= math.log(actions) + 1e-5)
    assert np.asarray(policy_entropy(logits)) == pytest.approx(np.asarray(entropy(p)), abs=1e-5)
    assert np.asarray(policy_entropy(logits + np.float32(shift))) == pytest.approx(
        np.asarray(policy_entropy(logits)), abs=1e-4
    )
    assert np.all(np.asarray(kl(logits, other)) >= -1e-5)
    assert plain(kl(logits, logits)) == [0.0] * rows
    crossed = np.asarray(cross_entropy(p, other)) - np.asarray(entropy(p))
    assert np.asarray(kl(logits, other)) == pytest.approx(crossed, rel=1e-4, abs=1e-4)


# Gaussian


def test_a_policy_is_known_by_its_rank() -> None:
    assert gaussian(np.zeros((5, 2, 3)))
    assert not gaussian(np.zeros((5, 2)))


def test_log_density_by_hand() -> None:
    policy = np.array([[[0.0, 1.0], [0.0, math.log(2)]]], np.float32)
    standard = -0.5 * math.log(2 * math.pi)
    at_mean = log_prob(policy, np.array([[0.0, 1.0]], np.float32))
    assert plain(at_mean) == pytest.approx([2 * standard - math.log(2)])
    aside = log_prob(policy, np.array([[3.0, 5.0]], np.float32))  # 3 and 2 deviations away
    assert plain(aside) == pytest.approx([2 * standard - math.log(2) - 4.5 - 2])


def test_entropy_and_divergence_of_gaussians_by_hand() -> None:
    narrow = np.array([[[0.0], [0.0]]], np.float32)
    wide = np.array([[[1.0], [math.log(2)]]], np.float32)
    assert plain(policy_entropy(narrow)) == pytest.approx([0.5 * math.log(2 * math.pi * math.e)])
    assert plain(policy_entropy(wide)) == pytest.approx([0.5 * math.log(2 * math.pi * math.e) + math.log(2)])
    assert plain(kl(narrow, wide)) == pytest.approx([math.log(2) + 2 / 8 - 0.5])
    assert plain(kl(wide, narrow)) == pytest.approx([-math.log(2) + 5 / 2 - 0.5])


def test_the_divergence_of_near_gaussians_does_not_cancel() -> None:
    old, new = np.array([[[[0.0], [0.0]]], [[[0.0], [1e-4]]]], np.float32)
    assert plain(kl(old, new)) == [pytest.approx(1e-8, rel=1e-2)]  # 2 d^2 / 2, d = 1e-4


@FEW
@given(st.integers(0, 999))
def test_gaussians_equal_their_integrals(seed: int) -> None:
    policy, other = drawn_gaussian(1, 1, seed), drawn_gaussian(1, 1, seed + 1)
    p, q = density(policy, GRID), density(other, GRID)
    rows = GRID.shape[0]
    found = np.exp(np.asarray(log_prob(np.repeat(policy, rows, axis=0), GRID[:, None].astype(np.float32))))
    np.testing.assert_allclose(found, p, rtol=1e-3, atol=1e-5)
    assert np.trapezoid(found, GRID) == pytest.approx(1, abs=1e-4)
    logs = np.log(np.maximum(p, 1e-300))
    assert plain(policy_entropy(policy)) == [pytest.approx(-np.trapezoid(p * logs, GRID), abs=1e-4)]
    apart = np.trapezoid(p * (logs - np.log(np.maximum(q, 1e-300))), GRID)
    assert plain(kl(policy, other)) == [pytest.approx(apart, rel=1e-3, abs=1e-4)]


@FEW
@given(DRAWS)
def test_laws_of_gaussians(sizes: tuple[int, int, int]) -> None:
    rows, actions, seed = sizes
    policy, other = drawn_gaussian(*sizes), drawn_gaussian(rows, actions, seed + 1)
    assert np.all(np.asarray(kl(policy, other)) >= -1e-6)
    assert plain(kl(policy, policy)) == [0.0] * rows
    action = other[:, 0]
    alone = [log_prob(policy[:, :, i : i + 1], action[:, i : i + 1]) for i in range(actions)]
    np.testing.assert_allclose(log_prob(policy, action), np.sum(alone, axis=0), rtol=1e-4, atol=1e-5)
    assert np.all(np.asarray(log_prob(policy, policy[:, 0])) >= np.asarray(log_prob(policy, action)) - 1e-6)


# what is maximised


def test_the_surrogate_by_hand() -> None:
    ratios = np.array([1.5, 1.5, 0.5, 0.5, 1.1], np.float32)
    advantage = np.array([1.0, -1.0, 1.0, -1.0, 2.0], np.float32)
    found = clipped_surrogate(np.log(ratios), advantage, 0.2)
    assert plain(found) == pytest.approx([1.2, -1.5, 0.5, -0.8, 2.2])


def test_nothing_is_gained_past_the_clip() -> None:
    logs, advantage = np.log([1.5, 1.5, 0.5, 0.5]).astype(np.float32), np.array([1.0, -1.0, 1.0, -1.0], np.float32)
    found = slope(lambda x: clipped_surrogate(x, advantage, 0.2), logs)
    assert plain(found) == pytest.approx([0.0, -1.5, 0.5, 0.0])  # d exp(x) A / dx = r A


@pytest.mark.parametrize("advantage", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("log_ratio", [-1e30, -200.0, 200.0, 1e30])
def test_a_ratio_beyond_float32_leaves_numbers(advantage: float, log_ratio: float) -> None:
    logs, gains = np.array([log_ratio], np.float32), np.array([advantage], np.float32)
    assert np.all(np.isfinite(clipped_surrogate(logs, gains, 0.2)))
    assert plain(slope(lambda x: clipped_surrogate(x, gains, 0.2), logs)) == [0.0]


@FEW
@given(st.floats(-4, 4, width=32), st.floats(-5, 5, width=32), st.floats(0.0625, 0.5, width=32))
def test_the_surrogate_is_never_better_than_the_plain_one(log_ratio: float, advantage: float, clip: float) -> None:
    found = float(np.asarray(clipped_surrogate(np.float32(log_ratio), np.float32(advantage), clip)))
    ratio = math.exp(log_ratio)
    assert found <= ratio * advantage + 1e-4
    slow = min(ratio * advantage, max(min(ratio, 1 + clip), 1 - clip) * advantage)
    assert found == pytest.approx(slow, rel=1e-5, abs=1e-6)


def test_numbers_are_normalized_by_hand() -> None:
    assert plain(normalized(np.array([1.0, 3.0, 1.0, 3.0], np.float32))) == pytest.approx([-1.0, 1.0, -1.0, 1.0])
    assert plain(normalized(np.array([7.5], np.float32))) == [0.0]
    assert plain(normalized(np.full(8, 3.0, np.float32))) == [0.0] * 8
    assert plain(slope(normalized, np.array([7.5], np.float32))) == [0.0]


@FEW
@given(st.integers(2, 40), st.integers(0, 999), st.floats(0.125, 100, width=32), st.floats(-10, 10, width=32))
def test_normalizing_forgets_scale_and_offset(rows: int, seed: int, scale: float, offset: float) -> None:
    x = np.random.default_rng(seed).normal(size=rows).astype(np.float32)
    x[:2] = 2.0, -2.0  # numbers that differ
    found = np.asarray(normalized(x))
    assert found.mean() == pytest.approx(0, abs=1e-5)
    assert found.std() == pytest.approx(1, abs=1e-3)
    np.testing.assert_allclose(normalized(x * np.float32(scale) + np.float32(offset)), found, atol=2e-3)
    np.testing.assert_allclose(found, (x - x.mean()) / x.std(), atol=1e-3)


# squashed


def slow_squashed(policy: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Log density of tanh(`before`) in float64; 1 - tanh^2 = 1 / cosh^2."""
    mean, log = policy.astype(np.float64).transpose(1, 0, 2)
    before = before.astype(np.float64)
    plain_log = -(((before - mean) / np.exp(log)) ** 2) / 2 - log - math.log(2 * math.pi) / 2
    return np.asarray((plain_log + 2 * np.logaddexp(before, -before) - 2 * math.log(2)).sum(axis=1))


def test_a_squashed_draw_by_hand() -> None:
    policy = np.array([[[0.0], [0.0]], [[1.0], [math.log(0.5)]]], np.float32)
    action, found = squashed_sample(policy, np.array([[0.0], [2.0]], np.float32))
    standard = -0.5 * math.log(2 * math.pi)
    assert plain(action) == [[0.0], [pytest.approx(math.tanh(2.0))]]
    wanted = standard + math.log(2) - 2 - math.log(1 - math.tanh(2.0) ** 2)
    assert plain(found) == pytest.approx([standard, wanted])
    assert plain(squashed_log_prob(policy, np.array([[0.0], [math.tanh(2.0)]], np.float32))) == pytest.approx(
        [standard, wanted], rel=1e-5
    )


@pytest.mark.parametrize("mean", [-80.0, -20.0, -9.0, 9.0, 20.0, 80.0])
def test_a_draw_where_tanh_rounds_to_one_is_inside_and_finite(mean: float) -> None:
    policy, noise = np.array([[[mean], [0.0]]], np.float32), np.array([[0.5]], np.float32)
    action, found = squashed_sample(policy, noise)
    assert abs(float(np.asarray(action)[0, 0])) < 1
    np.testing.assert_allclose(found, slow_squashed(policy, np.array([[mean + 0.5]])), rtol=1e-5)
    assert np.all(np.isfinite(slope(lambda p: squashed_sample(p, noise)[1], policy)))
    assert np.all(np.isfinite(slope(lambda p: squashed_sample(p, noise)[0], policy)))
    assert np.all(np.isfinite(slope(lambda p: squashed_log_prob(p, np.sign([[mean]]).astype(np.float32)), policy)))


@FEW
@given(DRAWS)
def test_squashed_draws_equal_their_slow_twin_and_are_read_back(sizes: tuple[int, int, int]) -> None:
    rows, actions, seed = sizes
    policy = drawn_gaussian(*sizes)
    noise = np.random.default_rng(seed + 1).normal(size=(rows, actions)).astype(np.float32)
    before = policy[:, 0] + np.exp(policy[:, 1]) * noise
    action, found = squashed_sample(policy, noise)
    np.testing.assert_allclose(action, np.tanh(before), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found, slow_squashed(policy, before), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(log_prob_before_tanh(policy, before), found, rtol=1e-4, atol=1e-4)
    near = np.abs(before).max(axis=1) < 3  # where float32 still tells squashed actions apart well
    np.testing.assert_allclose(np.asarray(squashed_log_prob(policy, action))[near], np.asarray(found)[near], atol=5e-3)


@FEW
@given(st.integers(0, 999))
def test_a_squashed_density_adds_up_to_one(seed: int) -> None:
    policy = drawn_gaussian(1, 1, seed)
    before = np.linspace(-7, 7, 4001)
    actions = np.tanh(before)
    found = np.exp(
        np.asarray(log_prob_before_tanh(np.repeat(policy, 4001, axis=0), before[:, None].astype(np.float32)))
    )
    assert np.trapezoid(found, actions) == pytest.approx(1, abs=1e-2)


def test_gradients_of_a_squashed_draw_equal_differences() -> None:
    policy, noise = drawn_gaussian(2, 2, 5), np.array([[0.3, -1.2], [0.8, 0.1]], np.float32)
    for part in (0, 1):
        found = slope(lambda p, part=part: squashed_sample(p, noise)[part], policy)
        for index in np.ndindex(policy.shape):
            ahead, behind = policy.copy(), policy.copy()
            ahead[index] += 1e-2
            behind[index] -= 1e-2
            high, low = (np.asarray(squashed_sample(p, noise)[part]) for p in (ahead, behind))
            rise = float(np.sum(high) - np.sum(low))
            assert found[index] == pytest.approx(rise / 2e-2, abs=5e-3)


def test_the_entropy_of_a_draw_is_the_mean_of_its_log_densities() -> None:
    policy = np.array([[[0.3, -1.0], [-0.5, 0.2]]], np.float32)
    rng = np.random.default_rng(0)
    drawn = policy[0, 0] + np.exp(policy[0, 1]) * rng.normal(size=(20_000, 2))
    logs = log_prob(np.repeat(policy, 20_000, axis=0), drawn.astype(np.float32))
    assert -np.mean(logs) == pytest.approx(float(np.asarray(policy_entropy(policy))[0]), abs=0.03)


def test_soft_values_are_the_mean_less_the_log_probability() -> None:
    logits, values = drawn_logits(3, 4, 1), drawn_logits(3, 4, 2)
    soft = np.asarray(expected(logits, values)) + 0.5 * np.asarray(policy_entropy(logits))
    each = [
        np.asarray(pick(values, np.full(3, a))) - 0.5 * np.asarray(log_prob(logits, np.full(3, a))) for a in range(4)
    ]
    np.testing.assert_allclose(soft, (np.stack(each, axis=1) * probabilities(logits)).sum(axis=1), rtol=1e-4, atol=1e-5)
