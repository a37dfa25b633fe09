"""What the engine takes and refuses, and the laws of engines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import pytest

from coach_toys.engine import NumPy
from coachcore.api import Box, LearnerSettings, Mismatch, NetworkSettings, Problem, component
from coachcore.testing.engine import EngineConformance
from coachcore.testing.toy_learning import ToyQ

Make = Callable[..., Problem]
SEEN = {"one": None, "two": {"observation": Box((3,)), "place": Box((2, 2))}}


@component("middleware", "made-up")
@attrs.frozen(kw_only=True)
class MadeUp:
    """Another part."""


@pytest.mark.parametrize("seen", SEEN)
class TestConformance(EngineConformance):
    @pytest.fixture(autouse=True)
    def given(self, made: Make, seen: str) -> None:
        self._given = made(SEEN[seen])

    def make(self) -> NumPy:
        return NumPy()

    def problem(self) -> Problem:
        return self._given


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"agent": ToyQ()},
            "engine.use: engine 'numpy' takes no derivatives, and agent 'toy-q' does not tell its own",
        ),
        (
            {"parts": {"middleware": MadeUp()}},
            "agent.network.middleware: engine 'numpy' computes 'straight' here, not 'made-up'",
        ),
        (
            {"parts": {"settings": NetworkSettings(merge="sum")}},
            "agent.network.merge: engine 'numpy' joins observations one after the other",
        ),
        (
            {"settings": LearnerSettings(optimizer="rmsprop")},
            "agent.learner.optimizer: engine 'numpy' knows adam and sgd, not 'rmsprop'",
        ),
        (
            {"settings": LearnerSettings(precision="bfloat16")},
            "agent.learner.precision: engine 'numpy' has no bfloat16",
        ),
    ],
)
def test_refusals(made: Make, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(Mismatch) as caught:
        NumPy().make(made(**changes))
    assert str(caught.value) == f"{message} - use the engine 'tensorflow'"


def test_bytes_and_boxes_of_actions_are_refused(made: Make) -> None:
    with pytest.raises(Mismatch, match="embedder 'plain' takes real numbers, got Box"):
        NumPy().make(made({"observation": Box((2, 2, 3), 0, 255, "uint8")}))
    with pytest.raises(Mismatch, match="head 'linear-values' values discrete actions, got Box"):
        NumPy().make(made(action=Box((1,), -1.0, 1.0)))
