"""The command line over made-up distributions, whatever else is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from coachcore.cli.main import invoke
from coachcore.registry.registry import Registry
from coachcore.testing.made_up import made_up


class Said(NamedTuple):
    """What a command printed and its exit code."""

    code: int
    out: str
    err: str


class Shop:
    """A folder of made-up distributions, and the `coach` command that sees these alone."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys
        self.registry: Registry | None = None
        for module in ("cli.list_plugins", "cli.describe", "cli.why", "cli.presets", "cli.doctor", "registry.registry"):
            monkeypatch.setattr(import_module(f"coachcore.{module}"), "current", self.current)
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.syspath_prepend(folder)

    def current(self) -> Registry:
        self.registry = self.registry or Registry([str(self.folder)])
        return self.registry

    def add(self, dist: str, **content: object) -> Path:
        self.registry = None
        return made_up(self.folder, dist, **content)  # type: ignore[arg-type]

    def __call__(self, *arguments: str) -> Said:
        self.capsys.readouterr()
        code = invoke(list(arguments))
        return Said(code, *self.capsys.readouterr())


@pytest.fixture
def shop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Said]]:
    yield Shop(tmp_path, monkeypatch, capsys)
    for name in [name for name, module in sys.modules.items() if str(tmp_path) in str(getattr(module, "__file__", ""))]:
        del sys.modules[name]
