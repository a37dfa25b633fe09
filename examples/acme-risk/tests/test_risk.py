"""The head and the loss by hand, and both by the laws of their kinds."""

from __future__ import annotations

import numpy as np
import pytest

from acme_risk.agent import RiskQ
from acme_risk.head import ValueGaussians
from coachcore.api import Batch, Discrete, Pair
from coachcore.testing.agent import AgentConformance
from coachcore.testing.network import NetworkPartConformance
from coachcore.testing.trial import trial


class TestHead(NetworkPartConformance):
    space = Discrete(3)

    def make(self):
        return ValueGaussians()


class TestAgent(AgentConformance):
    tried = trial(Discrete(3))

    def make(self):
        return RiskQ(appetite=-0.5)


@pytest.mark.parametrize(
    ("appetite", "goal"),
    [
        (0.0, 1.0 + 0.5 * 3.0),  # the greater mean
        (-2.0, 1.0 + 0.5 * 2.0),  # 3 - 2 e < 2 - 2 / e
    ],
)
def test_a_loss_by_hand(appetite, goal):
    """Mean 1.5, deviation e: the loss is e ((goal - 1.5)**2 / (2 e**2) + 1)."""
    nets = {
        "main": Pair(
            lambda _: {"gaussians": np.array([[[1.5, 9.0], [1.0, 0.0]]], np.float32)},
            lambda _: {"gaussians": np.array([[[2.0, 3.0], [-1.0, 1.0]]], np.float32)},
        )
    }
    batch = Batch({}, np.array([0]), np.array([1.0], np.float32), np.array([0.5], np.float32))
    out = RiskQ(appetite=appetite).errors(nets, batch)
    assert float(out.loss[0]) == pytest.approx(np.e * ((goal - 1.5) ** 2 / (2 * np.e**2) + 1.0))
    assert float(out.priority[0]) == pytest.approx(abs(goal - 1.5))


def test_who_shuns_risk_prefers_what_is_certain():
    outputs = {"gaussians": np.array([[[2.0, 3.0], [-1.0, 1.0]]])}
    assert RiskQ().propose(outputs).preferences.argmax() == 1
    assert RiskQ(appetite=-1.0).propose(outputs).preferences.argmax() == 0
