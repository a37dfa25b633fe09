"""Cliff by hand, and by the laws of environments."""

from __future__ import annotations

import numpy as np
import pytest

from acme_cliff import Cliff
from coachcore.testing.environment import EnvironmentConformance

UP, RIGHT, DOWN = 0, 1, 2


class TestLaws(EnvironmentConformance):
    @pytest.fixture
    def part(self):
        return Cliff(columns=5, wind=0.2)


def walked(part, actions, seed=0):
    """Rewards of one walk, and whether it was over at the end."""
    environment = part.make(1)
    environment.reset([0], [seed])
    steps = [environment.step(np.array([action])) for action in actions]
    return [float(step.reward[0]) for step in steps], bool(steps[-1].terminated[0])


@pytest.mark.parametrize(
    ("actions", "rewards", "over"),
    [
        ([UP, RIGHT, RIGHT, DOWN], [-1.0] * 4, True),  # around the cliff
        ([RIGHT], [-100.0], True),  # off it
        ([UP, RIGHT, DOWN], [-1.0, -1.0, -100.0], True),
        ([DOWN, DOWN], [-1.0, -1.0], False),  # into the ground
        ([UP, RIGHT, RIGHT, DOWN, UP], [-1.0] * 4 + [0.0], True),  # nothing moves after the goal
    ],
)
def test_walks_by_hand(actions, rewards, over):
    assert walked(Cliff(rows=2, columns=3), actions) == (rewards, over)


def test_in_a_gale_nobody_leaves_the_ground():
    assert walked(Cliff(wind=1.0), [UP, RIGHT]) == ([-1.0, -100.0], True)
