"""Every installed schedule keeps the laws of schedules."""

from __future__ import annotations

from coachcore.testing.schedule import LAWS  # noqa: F401 - read by conftest.py

KIND = "schedule"


def test_law(part, law):
    law(part)
