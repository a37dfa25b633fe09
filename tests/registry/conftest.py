"""A folder of made-up distributions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from coachcore.registry.registry import Registry
from coachcore.testing.made_up import made_up


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    """Write a distribution into this test's folder."""
    return partial(made_up, tmp_path)


@pytest.fixture
def read(tmp_path: Path) -> Callable[[], Registry]:
    """The registry of this test's folder alone, whatever else is installed."""
    return lambda: Registry([str(tmp_path)])
