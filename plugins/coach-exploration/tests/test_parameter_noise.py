"""Noise that lies in the network: here the best is done."""

from __future__ import annotations

import numpy as np
import pytest

from coach_exploration.parameter_noise import ParameterNoise
from coachcore.api import Box, Discrete, Mismatch, Moment, Proposal, spec_of


@pytest.mark.parametrize("evaluating", [False, True])
def test_the_best_is_done_and_nothing_drawn(evaluating):
    part, moment = ParameterNoise(), Moment(None, 0, evaluating=evaluating)
    assert part(None, lambda: Proposal(np.eye(3)), Discrete(3), 3, moment)[1].tolist() == [0, 1, 2]
    assert part(None, lambda: Proposal(np.array([[0.5], [7.0]])), Box((1,), -1, 1), 2, moment)[1].tolist() == [
        [0.5],
        [1],
    ]
    assert part.level(None, 3) == 0.0


def test_the_run_is_told_to_draw_noise():
    assert spec_of(ParameterNoise).facts["noisy"] is True


def test_other_spaces_are_refused():
    with pytest.raises(Mismatch, match="parameter-noise chooses discrete actions or points of a box, got words"):
        ParameterNoise().init("words", 1)
