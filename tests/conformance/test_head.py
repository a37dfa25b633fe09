"""Every installed head keeps the laws of networks, for every usual action space that it takes."""

from __future__ import annotations

from coachcore.testing.network import ACTIONS, LAWS, takes

KIND = "head"


def test_law(part, law):
    assert LAWS
    for action in filter(lambda action: takes(part, action), ACTIONS):
        law(part, action)


def test_a_usual_action_space_is_taken(part):
    assert any(takes(part, action) for action in ACTIONS), f"{part} takes none of {ACTIONS}"
