"""Rules that turn gradients into steps, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from coach_toys.steps import Adam, Descent, clipped, rule_of
from coachcore.api import LearnerSettings


def test_momentum_by_hand() -> None:
    rule, weights = Descent(0.5), (np.array([1.0]),)
    memory = rule.start(weights)
    weights, memory = rule.step(weights, (np.array([2.0]),), memory, (0.1, 1))
    assert weights[0].tolist() == pytest.approx([0.8])
    weights, memory = rule.step(weights, (np.array([0.0]),), memory, (0.1, 2))
    assert weights[0].tolist() == pytest.approx([0.7])


def test_the_first_step_of_adam_is_the_rate_whatever_the_gradient() -> None:
    rule = Adam(0.9, 0.999, 1e-12)
    weights = (np.array([0.0, 0.0]),)
    moved, _ = rule.step(weights, (np.array([1e-3, -70.0]),), rule.start(weights), (0.1, 1))
    assert moved[0].tolist() == pytest.approx([-0.1, 0.1])


def test_rules_by_name() -> None:
    assert rule_of(LearnerSettings(optimizer="sgd", beta1=0.3)) == Descent(0.3)
    assert rule_of(LearnerSettings(beta1=0.8, beta2=0.9, epsilon=1e-3)) == Adam(0.8, 0.9, 1e-3)


@pytest.mark.parametrize(
    ("limit", "by", "expected"),
    [
        (0.0, "global-norm", [3.0, 4.0, 12.0]),
        (1.3, "global-norm", [0.3, 0.4, 1.2]),
        (6.0, "norm", [3.0, 4.0, 6.0]),
        (3.5, "value", [3.0, 3.5, 3.5]),
        (100.0, "global-norm", [3.0, 4.0, 12.0]),
    ],
)
def test_clipping(limit: float, by: str, expected: list[float]) -> None:
    (one, other), norm = clipped((np.array([3.0, 4.0]), np.array([12.0])), limit, by)
    assert [*one, *other] == pytest.approx(expected)
    assert norm == 13.0
