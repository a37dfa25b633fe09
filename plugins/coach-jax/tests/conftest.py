"""Shared by the engine's tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "coach-networks" / "tests"))  # for toy_problems
