"""An orchestrator that starts runs in the background of this machine."""

from __future__ import annotations

import fcntl
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs

from coachcore.api import CoachError, component, param

STARTED, RUN, LOG, PID = ".started", ".run", ".log", ".pid"


@component("orchestrator", "detached")
@attrs.frozen(kw_only=True)
class Detached:
    """One process a worker, in a session of its own: each is a run of the preset with a seed of its own.

    All of a deployment lies in one folder: of each worker its process id, its log
    and its run. A process holds a lock on its ``.started`` file for as long as it
    lives, so that a process id that was given out again is never mistaken for it.
    """

    folder: str = param(default="", doc="where the folders of deployments lie; empty: beside the preset's file")
    first_seed: int = param(default=0, ge=0, doc="seed of the first worker; each further one counts on")
    patience: float = param(
        default=60.0, ge=0, doc="how long a run may take to save when it is stopped", unit="seconds"
    )

    def render(self, preset: Path, workers: int) -> Mapping[str, str]:
        return {name: shlex.join(words) + "\n" for name, words in self._commands(preset, Path(), workers).items()}

    def deploy(self, preset: Path, workers: int) -> str:
        """The deployment's name is its folder, the first that is free; raises `CoachError` where nothing can start."""
        home = Path(self.folder) if self.folder else preset.parent
        try:
            place = _first_free(home.resolve() / f"{preset.stem}-workers")
            for name, words in self._commands(preset.resolve(), place, workers).items():
                _start(place / name, words)
        except OSError as problem:
            raise CoachError(problem.strerror or str(problem), where=str(problem.filename or home)) from None
        return str(place)

    def status(self, deployment: str) -> Mapping[str, str]:
        return {path.stem: _doing(path) for path in sorted(Path(deployment).glob(f"*{STARTED}"))}

    def undeploy(self, deployment: str) -> None:
        """Ask every run to save and stop; one that takes longer than `patience` is killed. Logs and runs stay."""
        started = sorted(Path(deployment).glob(f"*{STARTED}"))
        for path in started:
            _signal(path, signal.SIGTERM)
        until = time.monotonic() + self.patience
        for path in started:
            while _alive(path) and time.monotonic() < until:
                time.sleep(0.05)
            _signal(path, signal.SIGKILL)
            path.with_suffix(PID).unlink(missing_ok=True)
            path.unlink(missing_ok=True)

    def _commands(self, preset: Path, place: Path, workers: int) -> Mapping[str, list[str]]:
        """What is run for each worker."""
        coach = [sys.executable, "-m", "coachcore", "run", str(preset)]
        names = {f"worker-{number}": self.first_seed + number for number in range(workers)}
        return {name: [*coach, "--seed", str(seed), "--out", str(place / name) + RUN] for name, seed in names.items()}


def _first_free(place: Path) -> Path:
    for folder in _numbered(place):
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        return folder
    raise AssertionError


def _numbered(place: Path) -> Iterator[Path]:
    number = 1
    while True:
        yield place if number == 1 else place.with_name(f"{place.name}-{number}")
        number += 1


def _start(worker: Path, words: list[str]) -> None:
    """A process that outlives this one and holds the lock of its ``.started`` file, which it inherits."""
    with worker.with_suffix(STARTED).open("w") as started, worker.with_suffix(LOG).open("w") as log:
        fcntl.flock(started, fcntl.LOCK_EX)
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            pass_fds=[started.fileno()],
            start_new_session=True,
        )
        worker.with_suffix(PID).write_text(f"{process.pid}\n")
    process.returncode = 0  # nobody here waits for it


def _alive(started: Path) -> bool:
    """Whether the process that was started with this file still holds its lock."""
    try:
        with started.open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _signal(started: Path, number: int) -> None:
    if _alive(started):
        os.kill(int(started.with_suffix(PID).read_text()), number)


def _doing(started: Path) -> str:
    if _alive(started):
        return f"running, process {started.with_suffix(PID).read_text().strip()}"
    lines = started.with_suffix(LOG).read_text().splitlines()
    return f"ended: {lines[-1] if lines else 'without a word'}"
