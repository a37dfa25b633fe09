"""The seeds as parameters: a test that takes `seed` runs once a wrong part, one that takes `original` once a right."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest


def _seeded() -> ModuleType:
    """The module beside this one, imported the same way whatever pytest's import mode is."""
    name = "coach_seeded"
    if name not in sys.modules:
        spec = spec_from_file_location(name, Path(__file__).with_name("seeded.py"))
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(scope="session")
def seeded() -> ModuleType:
    return _seeded()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for name, found in (("seed", _seeded().seeds), ("original", _seeded().originals)):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, found(), ids=str)
