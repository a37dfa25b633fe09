"""Optimizers against Keras's own and against a slow twin, number by number."""

from __future__ import annotations

import math
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from coach_tensorflow.optimizers import RULES, clipped
from coachcore.api import LearnerSettings

STEPS, RATE = 12, 0.05


def gradients() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((STEPS, 5)).astype(np.float32)


def ours(settings: LearnerSettings) -> np.ndarray:
    rule = RULES[settings.optimizer](settings)
    weight, m, v = np.ones(5, np.float32), np.zeros(5, np.float32), np.zeros(5, np.float32)
    for number, gradient in enumerate(gradients(), start=1):
        weight, m, v = rule(tf.constant(gradient), weight, m, v, np.float32(RATE), tf.constant(float(number)))
    return np.asarray(weight)


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
    for gradient in gradients():
        optimizer.apply([tf.constant(gradient)], [weight])
    np.testing.assert_allclose(ours(settings), np.asarray(weight), rtol=2e-5)


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
    wanted = [slow(settings, [float(g) for g in column]) for column in gradients().T]
    np.testing.assert_allclose(ours(settings), wanted, rtol=1e-4)


def test_clipping_by_the_norm_over_all_leaves() -> None:
    leaves = (tf.constant([3.0, 0.0]), tf.constant([[4.0]]))
    (first, second), norm = clipped(leaves, 1.0)
    assert float(norm) == 5.0
    assert np.asarray(first).tolist() == pytest.approx([0.6, 0.0])
    assert np.asarray(second).tolist() == [pytest.approx([0.8])]
    (same, _), _ = clipped(leaves, 5.0)
    assert np.asarray(same).tolist() == [3.0, 0.0]


@pytest.mark.parametrize("shape", [(3,), (64,), (65,), (128,), (200,), (7, 30), (256, 64), (3, 3, 8, 16)])
def test_a_norm_is_that_of_all_numbers_however_they_lie(shape):
    gradient = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    expected = np.sqrt(np.sum(gradient.astype(np.float64) ** 2))
    (scaled,), norm = clipped((tf.constant(gradient),), 0.5)
    assert norm.numpy() == pytest.approx(expected, rel=1e-6)
    assert np.allclose(scaled.numpy(), gradient * min(1.0, 0.5 / expected), rtol=1e-5)
