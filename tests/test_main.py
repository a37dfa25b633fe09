"""`python -m coachcore` is `coach`, with its output and its exit codes."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from coachcore import __version__
from coachcore.__main__ import main


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
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    assert capsys.readouterr().out == f"coach {__version__}\n"


class Struck:
    """Ctrl-C while the command line is being imported."""

    def find_spec(self, name, path=None, target=None):
        if name == "coachcore.cli.main":
            raise KeyboardInterrupt


def test_interrupted_while_it_is_imported(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "coachcore.cli.main", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Struck(), *sys.meta_path])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 130
    assert capsys.readouterr().err == "coach: stopped\n"


@pytest.mark.parametrize(("before", "frozen"), [("pass", 1), ("import numpy", 0)])
def test_garbage_is_looked_for_at_exit_only_where_something_was_run(before, frozen):
    code = f"""
import gc, sys
{before}
times = []
gc.freeze = lambda: times.append(gc.get_threshold()[0])
sys.argv = ["coach", "list-plugins"]
from coachcore.__main__ import ROOM, main
try:
    main()
except SystemExit as end:
    assert not end.code
assert gc.get_threshold()[0] == ROOM
print("FROZEN", len(times))
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert said.stdout.endswith(f"FROZEN {frozen}\n"), said.stderr


@pytest.fixture(autouse=True)
def _collecting_as_before():
    """`main` sets how often garbage is collected in its process, which here is the tests'."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
