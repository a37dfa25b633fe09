"""Every installed memory keeps the laws of memories, for vectors and for images."""

from __future__ import annotations

import attrs
import pytest

from coachcore.component import spec_of
from coachcore.layout import Column, Layout
from coachcore.spaces import Box, Discrete, Spaces
from coachcore.testing.fresh import is_fresh
from coachcore.testing.memory import LARGEST, LAWS, nothing_is_shared, the_oldest_leave_first

KIND = "memory"
VECTOR = Spaces(observation={"observation": Box((4,))}, action=Discrete(3))
IMAGE = Spaces(observation={"camera": Box((2, 2, 1), 0, 255, "uint8"), "speed": Box((3,))}, action=Box((2,), -1.0, 1.0))


def tried(part, spaces):
    """`part` small and without copies in hindsight, and `spaces` with the observations that it asks for."""
    facts = spec_of(part).facts
    if facts.get("balanced"):
        pytest.skip("it draws by class, not by chance: its own tests say how")
    if "hindsight" in attrs.fields_dict(type(part)):
        part = attrs.evolve(part, hindsight=0)
    if not is_fresh(part) and not (isinstance(part.capacity, int) and part.capacity <= LARGEST):
        part = attrs.evolve(part, capacity=50)
    asked = {name: Box(spaces.action.shape or (2,)) for name in facts.get("observations", ())}
    return part, attrs.evolve(spaces, observation={**spaces.observation, **asked})


@pytest.mark.parametrize("spaces", [VECTOR, IMAGE], ids=["vector", "image"])
def test_law(part, law, spaces):
    assert LAWS
    if spec_of(part).facts.get("acts_by_goals"):
        if law in (the_oldest_leave_first, nothing_is_shared):
            pytest.skip("it stores each episode once more with other actions: its own tests say how")
        spaces = attrs.evolve(spaces, action=Box((4,)))
    fresh = is_fresh(part)
    small, seen = tried(part, spaces)
    law(small, Layout.of(seen, (Column("value"),) if fresh else (), fresh=fresh))
