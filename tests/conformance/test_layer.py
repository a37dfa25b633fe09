"""Every installed layer keeps the laws of networks, for features and pictures, whichever it takes."""

from __future__ import annotations

from coachcore.testing.network import LAWS, VALUES, takes

KIND = "layer"


def test_law(part, law):
    assert LAWS
    for space in filter(lambda space: takes(part, space), VALUES):
        law(part, space)


def test_something_usual_is_taken(part):
    assert any(takes(part, space) for space in VALUES), f"{part} takes none of {VALUES}"
