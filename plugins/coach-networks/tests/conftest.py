"""Shared by the tests of networks and, through `toy_problems`, of engines."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

sys.path.append(str(Path(__file__).parent))  # for parity: pytest's importlib mode puts no test folder on the path

if "COACH_EXAMPLES" in os.environ:  # fewer where every new shape is compiled
    settings.register_profile("few", deadline=None, derandomize=True, max_examples=int(os.environ["COACH_EXAMPLES"]))
    settings.load_profile("few")


@pytest.fixture
def learner() -> Callable[..., Any]:
    """Make a learner of Keras's present backend from the settings of `toy_problems.problem`; no program is kept."""
    from toy_problems import engine, problem

    def make(*args: Any, **given: Any) -> Any:
        return engine().make(problem(*args, **given))

    return make
