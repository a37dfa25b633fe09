"""Shared by the tests of networks."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))  # for parity: pytest's importlib mode puts no test folder on the path
