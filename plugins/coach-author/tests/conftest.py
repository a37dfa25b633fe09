"""Distributions as `coach plugin new` writes them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from coach_author import commands
from coach_author.create import KINDS, Wanted, new
from coachcore.cli.main import invoke
from coachcore.registry.registry import Registry
from coachcore.testing.made_up import made_up


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


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    """Write a made-up distribution into this test's folder."""
    return partial(made_up, tmp_path)


class Said(NamedTuple):
    """What a command printed and its exit code."""

    code: int
    out: str
    err: str


class Shop:
    """A folder of made-up distributions, and the `coach` command that sees these and coach-author alone."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
        self.registry: Registry | None = None
        for module in ("coach_author.doctor", "coachcore.registry.registry"):
            monkeypatch.setattr(import_module(module), "current", self.current)
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.syspath_prepend(folder)

    def current(self) -> Registry:
        if self.registry is None:
            self.registry = Registry([str(self.folder)])
            self.registry.register(commands, "coach-author")
        return self.registry

    def add(self, dist: str, **content: object) -> Path:
        self.registry = None
        return made_up(self.folder, dist, **content)  # type: ignore[arg-type]

    def __call__(self, *arguments: str) -> Said:
        self.capsys.readouterr()
        code = invoke(list(arguments))
        return Said(code, *self.capsys.readouterr())


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Shop]:
    yield Shop(tmp_path, monkeypatch, capsys)
    for name in [name for name, module in sys.modules.items() if str(tmp_path) in str(getattr(module, "__file__", ""))]:
        del sys.modules[name]
