"""Every installed middleware keeps the laws of networks."""

from __future__ import annotations

from coachcore.testing.network import LAWS, OBSERVATIONS

KIND = "middleware"


def test_law(part, law):
    assert LAWS
    law(part, OBSERVATIONS[0])
