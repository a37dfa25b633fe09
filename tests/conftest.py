"""Shared by the core's tests: examples drawn the same way on every machine, without wall-clock limits."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "coach",
    deadline=None,
    derandomize=True,
    max_examples=int(os.environ.get("COACH_EXAMPLES", "60")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("coach")
