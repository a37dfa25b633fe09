"""The agent: its loss and its slope by hand, and its laws."""

from __future__ import annotations

import numpy as np
import pytest

from coach_toys.linear_q import LinearQ
from coachcore.api import Batch, Box, Mismatch, Pair, Spaces
from coachcore.testing.agent import AgentConformance


class TestConformance(AgentConformance):
    def make(self) -> LinearQ:
        return LinearQ()


NETS = {
    "main": Pair(
        lambda inputs: {"q": np.array([[1.0, 2.0, 0.0], [4.0, 5.0, 6.0]])},
        lambda inputs: {"q": np.array([[0.0, 3.0, 1.0], [9.0, 9.0, 9.0]])},
    )
}
BATCH = Batch({}, np.array([1, 0]), np.array([0.5, 1.0]), np.array([0.9, 0.0]), {})


def test_the_error_is_what_a_value_is_too_large_by() -> None:
    out = LinearQ().errors(NETS, BATCH)
    errors = [2.0 - (0.5 + 0.9 * 3.0), 4.0 - 1.0]
    assert out.loss.tolist() == pytest.approx([error**2 / 2 for error in errors])
    assert out.priority.tolist() == pytest.approx([1.2, 3.0])
    assert out.metrics["q"].tolist() == [2.0, 4.0]


def test_only_the_action_taken_has_a_slope() -> None:
    slope = LinearQ().slopes(NETS, BATCH)["q"]
    np.testing.assert_allclose(slope, [[0.0, -1.2, 0.0], [3.0, 0.0, 0.0]])


def test_the_slope_is_the_derivative_of_the_loss() -> None:
    """Slow twin: each output nudged by itself."""
    values, nudge = NETS["main"].online({})["q"], 1e-6
    slope = LinearQ().slopes(NETS, BATCH)["q"]
    for place in np.ndindex(*values.shape):
        losses = []
        for sign in (1, -1):
            moved = values.copy()
            moved[place] += sign * nudge
            nets = {"main": Pair(lambda inputs, moved=moved: {"q": moved}, NETS["main"].target)}
            losses.append(LinearQ().errors(nets, BATCH).loss[place[0]])
        assert (losses[0] - losses[1]) / (2 * nudge) == pytest.approx(slope[place], abs=1e-5)


def test_a_box_of_actions_is_refused() -> None:
    with pytest.raises(Mismatch, match=r"linear-q chooses among discrete actions, .* 'box-discretization'"):
        LinearQ().networks(Spaces(observation={}, action=Box((1,), -1.0, 1.0)))
