"""Every installed exploration policy keeps the laws of exploration, in every usual action space that it serves."""

from __future__ import annotations

from coachcore.errors import Mismatch
from coachcore.spaces import Box, Discrete
from coachcore.testing.exploration import LAWS

KIND = "exploration"
SPACES = (Discrete(3), Discrete(2), Box((2,), (-0.5, 0.0), (0.5, 2.0)))


def served(part):
    found = []
    for space in SPACES:
        try:
            part.init(space, 1)
        except Mismatch:
            continue
        found.append(space)
    return found


def test_law(part, law):
    assert LAWS
    for space in served(part):
        law(part, space)


def test_a_usual_space_is_served(part):
    assert served(part), f"{part} serves none of {SPACES}"
