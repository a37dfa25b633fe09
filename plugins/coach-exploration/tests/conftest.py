"""Examples are drawn the same way on every machine, without wall-clock limits."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("coach", deadline=None, derandomize=True)
settings.load_profile("coach")
