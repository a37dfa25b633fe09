"""Spaces of gym as spaces of Gymnasium."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium import spaces as modern

from coach_gym.making import quiet
from coach_gym.modern import space_of
from coachcore.api import Mismatch

with quiet():
    gym = pytest.importorskip("gym")
    old = gym.spaces
    SPACES = {
        "box": (old.Box(-1, 2, (2, 3), np.float32), modern.Box(-1, 2, (2, 3), np.float32)),
        "bytes": (old.Box(0, 255, (4,), np.uint8), modern.Box(0, 255, (4,), np.uint8)),
        "discrete": (old.Discrete(3, start=2), modern.Discrete(3, start=2)),
        "buttons": (old.MultiBinary(4), modern.MultiBinary(4)),
        "several": (old.MultiDiscrete([2, 3]), modern.MultiDiscrete([2, 3])),
        "text": (old.Text(5, min_length=2, charset="abc"), modern.Text(5, min_length=2, charset="abc")),
        "nested": (
            old.Dict(a=old.Discrete(2), b=old.Tuple([old.Discrete(3), old.Box(0, 1, (1,))])),
            modern.Dict(a=modern.Discrete(2), b=modern.Tuple([modern.Discrete(3), modern.Box(0, 1, (1,))])),
        ),
    }


@pytest.mark.parametrize("name", SPACES)
def test_each_space_is_the_same(name: str) -> None:
    given, wanted = SPACES[name]
    assert space_of(given) == wanted


def test_unknown_spaces() -> None:
    with pytest.raises(Mismatch, match="a Graph space of gym is not known; known: Box, Dict, Discrete, MultiBinary"):
        space_of(old.Graph(old.Discrete(2), None))
