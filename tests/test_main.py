"""`python -m coachcore` is `coach`, with its output and its exit codes."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from coachcore import __version__


def as_module(*arguments):
    return subprocess.run([sys.executable, "-m", "coachcore", *arguments], capture_output=True, text=True, check=False)


def test_it_is_called_coach_and_knows_its_commands():
    said = as_module("--help")
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout.startswith("Usage: coach [OPTIONS]")
    assert "  run " in said.stdout
    assert "  evaluate " in said.stdout


def test_the_exit_code_is_that_of_the_command():
    said = as_module("rum")
    assert (said.returncode, said.stdout) == (2, "")
    assert "no command is called 'rum' - did you mean 'run'?" in said.stderr
    assert "Traceback" not in said.stderr


def test_in_this_process(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["coachcore", "--version"])
    monkeypatch.delitem(sys.modules, "coachcore.__main__", raising=False)
    with pytest.raises(SystemExit) as end:
        import_module("coachcore.__main__")
    assert end.value.code == 0
    assert capsys.readouterr().out == f"coach {__version__}\n"
