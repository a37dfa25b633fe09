"""One short finished run and one stopped halfway, shared by all tests, and `coach` in this process or a child."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

import pytest

from coachcore.cli.main import invoke
from coachcore.running.checkpoint import Checkpoints
from coachcore.testing.laws import differing

PATIENCE = 120  # seconds a child may take on a machine that is busy with other things
SETTINGS = (
    'schedule.heatup="200 steps"',
    'schedule.train="3_000 steps"',
    'schedule.evaluate.every="1_000 steps"',
    "schedule.evaluate.episodes=2",
    'checkpoint.every="500 steps"',
    'recorders=[{use="jsonl"}]',
    "engine.cache=false",  # compiled programs lie in the user's own cache folder; a full disk there is another matter
)


class Said(NamedTuple):
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    def refusal(self, *words: str) -> str:
        """The one line of standard error of a command that refused, which holds all `words`."""
        assert self.code == 2, self
        assert "Traceback" not in self.out + self.err
        assert len(self.err.splitlines()) == 1, self.err
        for word in words:
            assert word in self.err, f"{word!r} is missing in: {self.err}"
        return self.err.strip()

    def fine(self) -> str:
        """What a command printed that succeeded and had nothing to complain about."""
        assert (self.code, self.err) == (0, ""), self
        return self.out


def shortly(*settings: str) -> list[str]:
    """The options that make a preset short, then `settings`."""
    return [part for setting in (*SETTINGS, *settings) for part in ("--set", setting)]


def arguments(out: Path, *settings: str) -> list[str]:
    """The command line of the short run into `out`."""
    return ["run", "cartpole-dqn", "--out", str(out), *shortly(*settings)]


def started(
    command: Sequence[str], *, prelude: str = "", path: Sequence[Path] = (), options: Sequence[str] = ()
) -> subprocess.Popen[str]:
    """`coach` in a child process, `prelude` run in it before."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    environment.pop("TF_XLA_FLAGS", None)  # set by engines in this process, and with it their cache
    code = f"{dedent(prelude)}\nfrom coachcore.cli.main import main\nmain()\n"
    return subprocess.Popen(
        [sys.executable, *options, "-c", code, *command],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> Said:
    """What a child said, once it is through."""
    try:
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.communicate()
    return Said(process.returncode, out, err)


def told_events(folder: Path) -> list[dict[str, Any]]:
    """The record of a run, without the time of writing."""
    lines = (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()
    return [{key: value for key, value in json.loads(line).items() if key != "at"} for line in lines]


class Runs:
    """What tests do with run folders."""

    arguments = staticmethod(arguments)
    shortly = staticmethod(shortly)
    started = staticmethod(started)
    ended = staticmethod(ended)
    events = staticmethod(told_events)

    def __init__(self, finished: Path, folder: Path) -> None:
        self.finished, self.folder = finished, folder

    def child(self, *command: str, **how: Any) -> Said:
        """`coach` in a child process, to its end."""
        return ended(started(command, **how))

    def copy(self, source: Path) -> Path:
        """A folder equal to `source`, to be damaged."""
        return Path(shutil.copytree(source, self.folder / "run", symlinks=True))

    @staticmethod
    def files(folder: Path) -> Mapping[str, bytes]:
        """Every file by name, but for the lock, whose content means nothing."""
        found = (path for path in folder.rglob("*") if path.is_file() and path.name != ".running")
        return {str(path.relative_to(folder)): path.read_bytes() for path in found}

    def went_on(self, folder: Path) -> None:
        """Resume `folder` and require that it ends as if nothing had ever happened.

        In this process, which has started TensorFlow once for all: a child takes seconds longer.
        """
        assert invoke(["run", "--resume", str(folder)]) == 0
        self.is_whole(folder)

    def is_whole(self, folder: Path) -> None:
        """Require that `folder` ended as the undisturbed run did: state and record, bit for bit."""
        states = [Checkpoints(each / "checkpoints").load()["machine"] for each in (self.finished, folder)]
        assert differing(*states) == []
        assert told_events(folder) == told_events(self.finished)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The short run, never disturbed. Copy it before changing anything."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    said = ended(started(arguments(folder)))
    assert said.code == 0, said
    assert said.err == ""
    return folder


STOPPED_AT = """
import os, signal
from coachcore.running import loop
learn, calls = loop.learn_once, 0
def counted(machine):
    global calls
    calls += 1
    if calls == 200:
        os.kill(os.getpid(), signal.SIGINT)
    learn(machine)
loop.learn_once = counted
"""


@pytest.fixture(scope="session")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The short run, stopped by Ctrl-C after about 1,800 of its 3,000 steps. Copy it before changing anything."""
    folder = tmp_path_factory.mktemp("stopped") / "run"
    said = ended(started(arguments(folder), prelude=STOPPED_AT))
    assert said.code == 130, said
    assert f"go on with: coach run --resume {folder}" in said.out
    assert said.err == ""
    return folder


@pytest.fixture
def runs(finished: Path, tmp_path: Path) -> Runs:
    return Runs(finished, tmp_path)


@pytest.fixture
def coach(capfd: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """`coach` in this process, what C code prints included."""

    def called(*command: str) -> Said:
        capfd.readouterr()
        code = invoke(list(command))
        return Said(code, *capfd.readouterr())

    return called
