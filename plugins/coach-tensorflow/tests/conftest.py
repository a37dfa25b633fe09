"""Shared by the engine's tests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

NEUTRAL = Path(__file__).parents[2] / "coach-networks" / "tests"
sys.path.append(str(NEUTRAL))  # for toy_problems: the tests that name no engine are there


@pytest.fixture
def learner() -> Callable[..., Any]:
    """Make a learner from the settings of `toy_problems.problem`; compiled programs are not kept."""
    from toy_problems import problem

    from coach_tensorflow.engine import TensorFlow

    def make(*args: Any, fast_call: bool = True, **given: Any) -> Any:
        return TensorFlow(cache=False, fast_call=fast_call).make(problem(*args, **given))

    return make
