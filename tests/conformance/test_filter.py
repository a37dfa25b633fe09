"""Every installed filter keeps the laws of filters, on every usual space that it takes."""

from __future__ import annotations

from coachcore.errors import Mismatch
from coachcore.spaces import Box, Discrete
from coachcore.testing.filter import LAWS, acts_on

KIND = "filter"
SPACES = {
    "observation": (
        Box((3,), (-1.0, 0.0, -0.25), (1.0, 0.5, 8.0)),
        Box((2,)),
        Box((4,), names=("cart position", "cart velocity", "pole angle", "pole angular velocity")),
        Box((8, 8, 3), 0, 255, "uint8"),
        Discrete(5),
    ),
    "reward": (Box(()), Box((), -100.0, 50.0)),
    "action": (Box((2,), -1.0, 1.0), Box((3,), -2.0, (0.75, 1.0, 4.0)), Discrete(4)),
}


def taken(part):
    """The usual spaces, for what the filter acts on, that it does not refuse."""
    found = []
    for space in (space for role in acts_on(part) for space in SPACES.get(role, ())):
        try:
            part.space(space)
        except Mismatch:
            continue
        found.append(space)
    return found


def test_law(part, law):
    assert LAWS
    for space in taken(part):
        law(part, space)


def test_a_usual_space_is_taken(part):
    assert taken(part), f"{part} acts on {acts_on(part)} and takes none of the spaces that these tests know"
