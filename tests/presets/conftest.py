"""A registry of made-up parts for the tests of presets."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from coachcore.registry.registry import Registry


def _toys() -> ModuleType:
    """The module beside this one, imported the same way whatever pytest's import mode is."""
    name = "coach_toys_of_presets"
    if name not in sys.modules:
        spec = spec_from_file_location(name, Path(__file__).with_name("toys.py"))
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(scope="session")
def toys() -> ModuleType:
    return _toys()


@pytest.fixture(scope="session")
def parts(toys: ModuleType) -> Registry:
    """Made-up parts of every kind, and nothing that is installed."""
    made: Registry = toys.registry()
    return made


@pytest.fixture(scope="session")
def more(toys: ModuleType) -> Registry:
    """The same, and agents with several networks, layers and recurrent networks."""
    made: Registry = toys.registry(toys.MoreToys())
    return made
