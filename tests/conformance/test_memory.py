"""Every installed memory keeps the laws of memories, for vectors and for images."""

from __future__ import annotations

import attrs
import pytest

from coachcore.layout import Column, Layout
from coachcore.spaces import Box, Discrete, Spaces
from coachcore.testing.fresh import is_fresh
from coachcore.testing.memory import LARGEST, LAWS

KIND = "memory"
VECTOR = Spaces(observation={"observation": Box((4,))}, action=Discrete(3))
IMAGE = Spaces(observation={"camera": Box((2, 2, 1), 0, 255, "uint8"), "speed": Box((3,))}, action=Box((2,), -1.0, 1.0))


@pytest.mark.parametrize("spaces", [VECTOR, IMAGE], ids=["vector", "image"])
def test_law(part, law, spaces):
    assert LAWS
    fresh = is_fresh(part)
    small = part if fresh or part.capacity <= LARGEST else attrs.evolve(part, capacity=50)
    law(small, Layout.of(spaces, (Column("value"),) if fresh else (), fresh=fresh))
