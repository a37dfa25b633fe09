"""Every installed environment keeps the contract."""

from __future__ import annotations

from coachcore.testing.environment import CHECKS

KIND = "environment"
LAWS = CHECKS


def test_law(part, law):
    law(part)
