"""Optimizers step by step: by hand, against Keras's own, against slow twins, and however weights are cut."""

from __future__ import annotations

import math
from typing import Any

import keras
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from coach_networks.optimizers import LBFGS, RULES, clipped, make
from coachcore.api import LearnerSettings

STEPS, RATE = 12, 0.05
CUTS: list[list[tuple[int, ...]]] = [[(12,)], [(5,), (7,)], [(2, 3), (6,)], [(1,), (2, 2), (3,), (2, 1, 2)]]


def cut(flat: Any, shapes: list[tuple[int, ...]]) -> tuple[np.ndarray, ...]:
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    parts = np.split(np.asarray(flat, np.float32), ends[:-1])
    return tuple(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))


def joined(leaves: Any) -> np.ndarray:
    return np.concatenate([np.asarray(leaf).reshape(-1) for leaf in leaves])


def started(optimizer: Any, weights: tuple[np.ndarray, ...]) -> tuple[tuple[np.ndarray, ...], ...]:
    return tuple(tuple(np.zeros_like(leaf) for leaf in weights) for _ in range(optimizer.slots))


def walked(optimizer: Any, gradients: Any, shapes: list[tuple[int, ...]], rate: float = RATE) -> np.ndarray:
    """Weights of 1 after one step for each row of `gradients`, or downhill where that is a function."""
    size = sum(math.prod(shape) for shape in shapes)
    weights: Any = cut(np.ones(size), shapes)
    slots: Any = started(optimizer, weights)
    along = gradients if callable(gradients) else lambda _, number: gradients[number]
    for number in range(STEPS):
        leaves = cut(along(joined(weights), number), shapes)
        weights, slots = optimizer.step(leaves, weights, slots, np.float32(rate), np.float32(number + 1))
    return joined(weights)


def drawn(size: int = 5) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((STEPS, size)).astype(np.float32)


def one_step(optimizer: Any, weight: float, gradient: float, memory: list[float], rate: float, number: int) -> Any:
    """A step of a network of one weight; plain numbers in and out."""
    leaf = lambda value: (np.array([value], np.float32),)
    new, slots = optimizer.step(
        leaf(gradient), leaf(weight), tuple(leaf(one) for one in memory), np.float32(rate), np.float32(number)
    )
    return float(np.asarray(new[0])[0]), [float(np.asarray(slot[0])[0]) for slot in slots]


# one number after the other


def test_adam_by_hand() -> None:
    adam = make(LearnerSettings(beta1=0.5, beta2=0.75, epsilon=1e-12))
    weight, memory = one_step(adam, 1.0, 2.0, [0.0, 0.0], 0.5, 1)
    assert memory == [1.0, 1.0]
    assert weight == pytest.approx(0.5)  # the first step has the size of the rate
    weight, memory = one_step(adam, weight, -2.0, memory, 0.5, 2)
    assert memory == [-0.5, 1.75]
    assert weight == pytest.approx(0.5 + 0.5 * math.sqrt(1 - 0.75**2) / 0.75 * 0.5 / math.sqrt(1.75))


def test_rmsprop_by_hand() -> None:
    rmsprop = make(LearnerSettings(optimizer="rmsprop", beta1=0.5, beta2=0.75, epsilon=1.0))
    weight, memory = one_step(rmsprop, 1.0, 2.0, [0.0, 0.0], 0.5, 1)
    assert memory == [0.5, 1.0]
    assert weight == 0.5
    weight, memory = one_step(rmsprop, weight, 0.0, memory, 0.5, 2)
    assert memory == [0.25, 0.75]
    assert weight == 0.25


def test_sgd_by_hand() -> None:
    sgd = make(LearnerSettings(optimizer="sgd", beta1=0.5))
    weight, memory = one_step(sgd, 1.0, 2.0, [0.0], 0.25, 1)
    assert (weight, memory) == (0.5, [-0.5])
    assert one_step(sgd, weight, 0.0, memory, 0.25, 2) == (0.25, [-0.25])


def test_lbfgs_by_hand() -> None:
    """Down w^2: the second step knows the curvature, so a rate of 1 arrives."""
    lbfgs = make(LearnerSettings(optimizer="lbfgs"))
    weight, memory = one_step(lbfgs, 1.0, 2.0, [0.0] * 22, 0.5, 1)
    assert weight == 0.5  # along the gradient, held to length 1
    assert memory == [1.0, 2.0] + [0.0] * 20
    weight, memory = one_step(lbfgs, weight, 1.0, memory, 1.0, 2)
    assert weight == 0.0
    assert memory == [0.5, 1.0, -0.5] + [0.0] * 9 + [-1.0] + [0.0] * 9


def test_lbfgs_takes_up_no_pair_that_bends_downwards() -> None:
    lbfgs = make(LearnerSettings(optimizer="lbfgs"))
    _, memory = one_step(lbfgs, 1.0, 0.5, [0.0] * 22, 0.5, 1)
    weight, memory = one_step(lbfgs, 0.75, 0.75, memory, 1.0, 2)  # s = -1/4, y = 1/4
    assert weight == 0.0
    assert memory == [0.75, 0.75] + [0.0] * 20
    _, memory = one_step(lbfgs, 0.5, 0.5, memory, 1.0, 3)
    assert memory[2] == memory[12] == -0.25
    _, later = one_step(lbfgs, 0.25, 0.75, memory, 1.0, 4)
    assert later[2:] == memory[2:]


def test_lbfgs_stands_still_where_the_ground_is_level() -> None:
    lbfgs = make(LearnerSettings(optimizer="lbfgs"))
    weight, memory = one_step(lbfgs, 1.0, 0.0, [0.0] * 22, 1.0, 1)
    assert one_step(lbfgs, weight, 0.0, memory, 1.0, 2)[0] == 1.0


# whole walks


@pytest.mark.parametrize(
    ("settings", "theirs"),
    [
        (LearnerSettings(), lambda: keras.optimizers.Adam(RATE)),
        (LearnerSettings(beta1=0.5, beta2=0.9, epsilon=1e-3), lambda: keras.optimizers.Adam(RATE, 0.5, 0.9, 1e-3)),
        (LearnerSettings(optimizer="sgd", beta1=0.0), lambda: keras.optimizers.SGD(RATE)),
        (LearnerSettings(optimizer="sgd", beta1=0.9), lambda: keras.optimizers.SGD(RATE, momentum=0.9)),
        (
            # Keras puts its epsilon inside the root, so only a vanishing one can be compared
            LearnerSettings(optimizer="rmsprop", beta1=0.9, beta2=0.8, epsilon=1e-12),
            lambda: keras.optimizers.RMSprop(RATE, rho=0.8, momentum=0.9, epsilon=1e-12),
        ),
    ],
)
def test_equal_to_keras(settings: LearnerSettings, theirs: Any) -> None:
    weight, optimizer = keras.Variable(np.ones(5, np.float32)), theirs()
    for gradient in drawn():
        optimizer.apply([keras.ops.convert_to_tensor(gradient)], [weight])
    np.testing.assert_allclose(walked(make(settings), drawn(), [(5,)]), np.asarray(weight), rtol=2e-5)


def slow_adam(settings: LearnerSettings, column: list[float]) -> float:
    weight = 1.0
    m = v = 0.0
    for t, g in enumerate(column, start=1):
        m = settings.beta1 * m + (1 - settings.beta1) * g
        v = settings.beta2 * v + (1 - settings.beta2) * g * g
        size = RATE * math.sqrt(1 - settings.beta2**t) / (1 - settings.beta1**t)
        weight -= size * m / (math.sqrt(v) + settings.epsilon)
    return weight


def slow_rmsprop(settings: LearnerSettings, column: list[float]) -> float:
    weight = 1.0
    m = v = 0.0
    for g in column:
        v = settings.beta2 * v + (1 - settings.beta2) * g * g
        m = settings.beta1 * m + RATE * g / (math.sqrt(v) + settings.epsilon)
        weight -= m
    return weight


def slow_sgd(settings: LearnerSettings, column: list[float]) -> float:
    weight = 1.0
    m = 0.0
    for g in column:
        m = settings.beta1 * m - RATE * g
        weight += m
    return weight


@pytest.mark.parametrize("epsilon", [1e-7, 0.1])
@pytest.mark.parametrize(("name", "slow"), [("adam", slow_adam), ("rmsprop", slow_rmsprop), ("sgd", slow_sgd)])
def test_equal_to_the_slow_twin(name: str, slow: Any, epsilon: float) -> None:
    settings = LearnerSettings(optimizer=name, beta1=0.8, beta2=0.95, epsilon=epsilon)
    wanted = [slow(settings, [float(g) for g in column]) for column in drawn().T]
    np.testing.assert_allclose(walked(make(settings), drawn(), [(5,)]), wanted, rtol=1e-4)


def valley(size: int, steepest: float) -> np.ndarray:
    """A symmetric matrix with eigenvalues from 1 to `steepest`, axes aslant."""
    axes, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((size, size)))
    return np.asarray(axes @ np.diag(np.geomspace(1, steepest, size)) @ axes.T)


def slow_lbfgs(gradient_at: Any, size: int, rate: float, history: int) -> np.ndarray:
    """The inverse Hessian written out as a matrix and updated pair by pair (Nocedal and Wright, eq. 7.16)."""
    weight, pairs, before = np.ones(size), [], None
    for number in range(STEPS):
        gradient = gradient_at(weight, number)
        if before is not None:
            s, y = weight - before[0], gradient - before[1]
            pairs = [*pairs, (s, y)][-history:] if s @ y > 1e-10 else pairs
        inverse = np.eye(size) / max(1.0, float(np.linalg.norm(gradient)))
        if pairs:
            s, y = pairs[-1]
            inverse = np.eye(size) * (s @ y) / (y @ y)
        for s, y in pairs:
            turned = np.eye(size) - np.outer(y, s) / (s @ y)
            inverse = turned.T @ inverse @ turned + np.outer(s, s) / (s @ y)
        before = weight, gradient
        weight = weight - rate * inverse @ gradient
    return np.asarray(weight)


@pytest.mark.parametrize("history", [1, 3, 10])
@pytest.mark.parametrize("noise", [0.0, 3.0])
def test_lbfgs_equals_its_slow_twin(history: int, noise: float) -> None:
    """With noise, some pairs bend downwards."""
    bend, shaken = valley(4, 5), noise * np.random.default_rng(2).standard_normal((STEPS, 4))
    gradient_at = lambda weight, number: bend @ weight + shaken[number]
    found = walked(LBFGS(history), gradient_at, [(4,)], 0.3)
    np.testing.assert_allclose(found, slow_lbfgs(gradient_at, 4, 0.3, history), rtol=2e-3, atol=1e-4)


def test_lbfgs_goes_down_a_long_valley_much_faster_than_descent() -> None:
    bend = valley(8, 100)
    height = lambda weight: float(weight @ bend @ weight / 2)
    downhill = lambda weight, _: bend @ weight
    guessed = walked(make(LearnerSettings(optimizer="lbfgs")), downhill, [(8,)], 1.0)
    plain = walked(make(LearnerSettings(optimizer="sgd", beta1=0.0)), downhill, [(8,)], 2 / 101)  # its best rate
    assert height(guessed) < height(plain) / 100


@pytest.mark.parametrize("name", sorted(RULES))
@pytest.mark.parametrize("shapes", CUTS[1:])
def test_however_the_weights_are_cut(name: str, shapes: list[tuple[int, ...]]) -> None:
    optimizer, bend = make(LearnerSettings(optimizer=name)), valley(12, 5)
    downhill = lambda weight, _: bend @ weight
    whole = walked(optimizer, downhill, CUTS[0])
    np.testing.assert_allclose(walked(optimizer, downhill, shapes), whole, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", sorted(RULES))
def test_it_remembers_as_many_arrays_as_it_says(name: str) -> None:
    optimizer = make(LearnerSettings(optimizer=name))
    assert optimizer.slots == {"adam": 2, "rmsprop": 2, "sgd": 1, "lbfgs": 22}[name]
    weights = cut(np.ones(12), CUTS[3])
    new, slots = optimizer.step(weights, weights, started(optimizer, weights), np.float32(1), np.float32(1))
    assert [leaf.shape for leaf in new] == CUTS[3]
    assert len(slots) == optimizer.slots
    assert all([leaf.shape for leaf in slot] == CUTS[3] for slot in slots)
    assert all(keras.backend.standardize_dtype(leaf.dtype) == "float32" for slot in (new, *slots) for leaf in slot)


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_walk_may_be_one_loop_of_the_backend(name: str) -> None:
    """Where a loop is traced, `number` is a tensor that nobody can read."""
    optimizer, shapes = make(LearnerSettings(optimizer=name)), CUTS[2]
    bend = valley(12, 5).astype(np.float32)

    def body(number: Any, state: Any) -> Any:
        weights, slots = state
        flat = keras.ops.concatenate([keras.ops.reshape(leaf, [-1]) for leaf in weights])
        slope = keras.ops.matmul(bend, flat)
        leaves = (keras.ops.reshape(slope[:6], shapes[0]), slope[6:])
        return optimizer.step(leaves, weights, slots, RATE, keras.ops.cast(number, "float32"))

    ones = cut(np.ones(12), shapes)
    begin = keras.tree.map_structure(keras.ops.convert_to_tensor, (ones, started(optimizer, ones)))
    found, _ = keras.ops.fori_loop(1, STEPS + 1, body, begin)
    wanted = walked(optimizer, lambda weight, _: bend @ weight, shapes)
    np.testing.assert_allclose(joined(found), wanted, rtol=1e-3)  # rmsprop makes much of rounding: g / |g|


@pytest.mark.parametrize("name", sorted(RULES))
@pytest.mark.parametrize("by", ["global-norm", "norm", "value"])
def test_a_step_can_be_traced(name: str, by: str) -> None:
    """A Lambda layer lets the backend trace it over symbols: asking one for its value is an error."""
    optimizer = make(LearnerSettings(optimizer=name))

    def step(inputs: Any) -> Any:
        leaf, number = inputs
        limited, norm = clipped((leaf, leaf), 1.0, by)
        weights, slots = optimizer.step(limited, (leaf, leaf), ((leaf, leaf),) * optimizer.slots, number, number)
        return [norm, *(one for slot in (weights, *slots) for one in slot)]

    symbols = keras.KerasTensor((70, 3), "float32"), keras.KerasTensor((), "float32")
    norm, *moved = keras.layers.Lambda(step)(symbols)
    assert norm.shape == ()
    assert [one.shape for one in moved] == [(70, 3)] * (2 + 2 * optimizer.slots)


# clipping


def test_clipping_by_the_norm_over_all_leaves() -> None:
    leaves = (np.array([3.0, 0.0], np.float32), np.array([[4.0]], np.float32))
    (first, second), norm = clipped(leaves, 1.0, "global-norm")
    assert float(norm) == 5.0
    assert np.asarray(first).tolist() == pytest.approx([0.6, 0.0])
    assert np.asarray(second).tolist() == [pytest.approx([0.8])]
    (same, _), _ = clipped(leaves, 5.0, "global-norm")
    assert np.asarray(same).tolist() == [3.0, 0.0]


def test_clipping_leaf_by_leaf() -> None:
    leaves = (np.array([3.0, 4.0], np.float32), np.array([0.5], np.float32))
    (first, second), norm = clipped(leaves, 1.0, "norm")
    assert float(norm) == pytest.approx(math.sqrt(25.25))
    assert np.asarray(first).tolist() == pytest.approx([0.6, 0.8])
    assert np.asarray(second).tolist() == [0.5]


def test_clipping_number_by_number() -> None:
    leaves = (np.array([3.0, -4.0], np.float32), np.array([0.5], np.float32))
    (first, second), norm = clipped(leaves, 1.0, "value")
    assert float(norm) == pytest.approx(math.sqrt(25.25))
    assert np.asarray(first).tolist() == [1.0, -1.0]
    assert np.asarray(second).tolist() == [0.5]


@pytest.mark.parametrize("by", ["global-norm", "norm", "value"])
def test_no_limit_and_no_gradient_change_nothing(by: str) -> None:
    leaves = (np.array([3.0, -4.0], np.float32),)
    (same,), norm = clipped(leaves, 0.0, by)
    assert np.asarray(same).tolist() == [3.0, -4.0]
    assert float(norm) == 5.0
    (nothing,), none = clipped((np.zeros(2, np.float32),), 1.0, by)
    assert np.asarray(nothing).tolist() == [0.0, 0.0]
    assert float(none) == 0.0


@pytest.mark.parametrize("shape", [(3,), (64,), (65,), (128,), (200,), (7, 30), (256, 64), (3, 3, 8, 16)])
def test_a_norm_is_that_of_all_numbers_however_they_lie(shape: tuple[int, ...]) -> None:
    gradient = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    expected = float(np.sqrt(np.sum(gradient.astype(np.float64) ** 2)))
    (scaled,), norm = clipped((gradient,), 0.5, "global-norm")
    assert float(norm) == pytest.approx(expected, rel=1e-6)
    assert np.allclose(np.asarray(scaled), gradient * min(1.0, 0.5 / expected), rtol=1e-5)


@examples(deadline=None, max_examples=min(30, examples().max_examples))
@given(st.integers(0, 999), st.floats(0.125, 8, width=32), st.sampled_from(CUTS))
def test_laws_of_clipping(seed: int, limit: float, shapes: list[tuple[int, ...]]) -> None:
    flat = np.random.default_rng(seed).normal(scale=3, size=12).astype(np.float32)
    leaves = cut(flat, shapes)
    together, norm = clipped(leaves, limit, "global-norm")
    assert float(norm) == pytest.approx(float(np.linalg.norm(flat)), rel=1e-5)
    assert np.linalg.norm(joined(together)) <= limit * (1 + 1e-5)
    np.testing.assert_allclose(joined(together), flat * min(1, limit / np.linalg.norm(flat)), rtol=1e-4)
    each, _ = clipped(leaves, limit, "norm")
    for was, now in zip(leaves, each, strict=True):
        np.testing.assert_allclose(now, was * min(1, limit / np.linalg.norm(was)), rtol=1e-4)
    numbers, _ = clipped(leaves, limit, "value")
    assert joined(numbers).tolist() == np.clip(flat, -limit, limit).tolist()
