"""The tutorial, from its first line to its last: files are written, commands run, and what they print is compared."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorial.md"
BLOCK = re.compile(r"(?:^<!-- (file|not run): (.*?) -->\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDED = ("coach_author", "coach_toys")
OFFLINE = {"uv pip install": "uv pip install --offline --no-deps", "uv build": "uv build --offline"}
"""What is said to a command besides, so that it goes to no network: what it would fetch is here already."""


def blocks():
    return [match.groups() for match in BLOCK.finditer(PAGE.read_text("utf-8"))]


def commands(text):
    """Each command of a console block with what it is said to print."""
    for piece in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, printed = piece.partition("\n")
        yield command, printed


def pattern(printed):
    """What is printed as a pattern: `...` stands for anything, whole lines too."""
    return re.escape(printed).replace(re.escape("..."), ".*")


@pytest.fixture
def shell(tmp_path):
    """Runs commands one after another in an environment of its own that also sees what is installed here."""
    lacking = [name for name in NEEDED if find_spec(name) is None]
    if lacking or shutil.which("uv") is None:
        pytest.skip(f"the tutorial needs uv, {', '.join(NEEDED)}")
    env = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(env)], check=True)
    python = env / "bin" / "python"
    (site,) = env.glob("lib/python*/site-packages")
    here = sysconfig.get_path("purelib")
    (site / "here.pth").write_text(f"import site; site.addsitedir({here!r})\n")
    coach = env / "bin" / "coach"
    coach.write_text(f"#!{python}\nfrom coachcore.__main__ import main\nmain()\n")
    coach.chmod(0o755)
    state = {"cwd": tmp_path / "work"}
    state["cwd"].mkdir()
    settled = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "UV_PYTHON")}
    settled |= {"PATH": f"{env / 'bin'}{os.pathsep}{os.environ['PATH']}", "VIRTUAL_ENV": str(env), "COLUMNS": "80"}
    settled |= {"COACH_CONFIG": "", "LC_ALL": "C"}

    def run(command):
        if command.startswith("cd "):
            state["cwd"] /= command.removeprefix("cd ")
            return ""
        for said, instead in OFFLINE.items():
            command = command.replace(said, instead)
        done = subprocess.run(
            command, shell=True, cwd=state["cwd"], env=settled, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        return done.stdout

    run.write = lambda name, text: (state["cwd"] / name).write_text(text, encoding="utf-8")
    return run


@pytest.mark.slow
def test_every_command_prints_what_the_tutorial_says(shell):
    ran = 0
    for mark, what, language, text in blocks():
        if mark == "file":
            shell.write(what, text)
        elif language == "console" and mark != "not run":
            for command, printed in commands(text):
                out = shell(command)
                assert re.fullmatch(pattern(printed), out, re.DOTALL), f"$ {command}\n{out}\ninstead of\n{printed}"
                ran += 1
    assert ran >= 20


def test_only_what_fetches_or_publishes_is_not_run():
    left_out = [command for mark, _, _, text in blocks() if mark == "not run" for command, _ in commands(text)]
    assert all(command.startswith(("uv venv", "source ", "uv pip install", "uv publish")) for command in left_out)
    assert len(left_out) <= 4
