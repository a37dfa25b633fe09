"""Distributions as `coach plugin new` writes them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from coach_author.create import KINDS, Wanted, new


def wanted(kind: str) -> Wanted:
    return Wanted(dist=f"acme-{kind}", kind=kind, part=f"acme-{kind}")


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Write a distribution of a kind into this test's folder."""
    return lambda kind: new(wanted(kind), tmp_path)


@pytest.fixture(scope="session")
def every(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a distribution of every kind."""
    folder = tmp_path_factory.mktemp("every")
    for kind in KINDS:
        new(wanted(kind), folder)
    return folder


@pytest.fixture
def classes(every: Path) -> Iterator[Callable[[str], type]]:
    """Kind -> the generated class, imported from its source."""
    sources = [str(path) for path in sorted(every.glob("*/src"))]
    sys.path[:0] = sources

    def load(kind: str) -> type:
        return getattr(import_module(f"acme_{kind}"), wanted(kind).cls)

    yield load
    for source in sources:
        sys.path.remove(source)
    for name in [name for name in sys.modules if name.startswith("acme_")]:
        del sys.modules[name]
