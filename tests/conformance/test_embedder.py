"""Every installed embedder keeps the laws of networks, for every usual input that it takes."""

from __future__ import annotations

from coachcore.testing.network import LAWS, OBSERVATIONS, takes

KIND = "embedder"


def test_law(part, law):
    assert LAWS
    for space in filter(lambda space: takes(part, space), OBSERVATIONS):
        law(part, space)


def test_a_usual_input_is_taken(part):
    assert any(takes(part, space) for space in OBSERVATIONS), f"{part} takes none of {OBSERVATIONS}"
