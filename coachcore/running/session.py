"""A run from outside: a folder, recorders, checkpoints, listeners, and a way to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from coachcore import signals
from coachcore.component import spec_of
from coachcore.contracts.experiment import Experiment
from coachcore.contracts.recorder import Sink
from coachcore.errors import BadCheckpoint, BadData, CoachError, StopRun
from coachcore.events import Event, RunInfo
from coachcore.running.checkpoint import Checkpoints
from coachcore.running.loop import train
from coachcore.running.machine import Machine
from coachcore.running.publish import publish

_INTERRUPTED = "interrupted"


@attrs.frozen(kw_only=True)
class Outcome:
    """How a run ended: `reason` is ``finished``, ``target reached``, ``interrupted`` or a plugin's own words."""

    folder: Path
    reason: str
    best: float | None
    steps: int
    episodes: int
    updates: int
    compile_seconds: float = 0.0  # spent in this process on compiling updates, where the engine says so

    @property
    def interrupted(self) -> bool:
        return self.reason == _INTERRUPTED


@attrs.frozen(kw_only=True)
class Listeners:
    """Hook implementations, collected once before the run and called as plain functions."""

    start: tuple[Callable[[RunInfo], Any], ...] = ()
    event: tuple[Callable[[RunInfo, Event], Any], ...] = ()
    checkpoint: tuple[Callable[[RunInfo, Path], Any], ...] = ()
    end: tuple[Callable[[RunInfo, Outcome], Any], ...] = ()


class Session:
    """Drives one run in `folder` and hands its events to recorders and listeners.

    `saved` is a full checkpoint's state: the run then goes on from it, bit for
    bit. Close the machine when done with it; the session does not.
    """

    def __init__(
        self,
        machine: Machine,
        folder: Path,
        *,
        listeners: Listeners | None = None,
        saved: Mapping[str, Any] | None = None,
    ) -> None:
        self.machine, self.experiment, self.folder = machine, machine.experiment, folder
        self.listeners = listeners or Listeners()
        self.checkpoints = Checkpoints(folder / "checkpoints", keep_last=self.experiment.checkpoint.keep_last)
        self.stopping = ""
        self.sinks: dict[str, Sink] = {}
        self.marks: Mapping[str, Any] = {}
        self.ended = False
        if saved is not None:
            machine.restore(_part_of(saved, "machine"))
            self.marks, self.ended = _part_of(saved, "marks"), _part_of(saved, "ended")

    def run(self) -> Outcome:
        """To the end, to a stop, or to an error; in each case what was written stays whole."""
        machine = self.machine
        with ExitStack() as stack:
            info = self._info(machine)
            self._open(stack, info)
            for listener in self.listeners.start:
                listener(info)
            stack.enter_context(_interruptible(self, machine))
            stack.enter_context(_timer(machine, self.experiment))
            self._drive(machine, info)
            reason = self.stopping or machine.done
            clock = machine.clock
            outcome = Outcome(
                folder=self.folder,
                reason=reason,
                best=machine.best,
                steps=clock.steps,
                episodes=clock.episodes,
                updates=clock.updates,
                compile_seconds=float(getattr(machine.learner, "compile_seconds", 0.0)),
            )
            for closing in self.listeners.end:
                closing(info, outcome)
            return outcome

    def stop(self, reason: str = _INTERRUPTED) -> None:
        """End the run at the next moment at which everything can be saved."""
        self.stopping = self.stopping or reason

    def _info(self, machine: Machine) -> RunInfo:
        experiment, train_for = self.experiment, self.experiment.schedule.train
        return RunInfo(
            preset=experiment.name,
            seed=experiment.seed,
            environment=str(getattr(experiment.world, "id", spec_of(experiment.world).name)),
            agent=str(experiment.document.get("agent", {}).get("use", "")),
            total=train_for.amount,
            unit=train_for.unit,
            resumed_at=machine.clock.steps,
            folder=self.folder,
        )

    def _open(self, stack: ExitStack, info: RunInfo) -> None:
        for name, recorder in self.experiment.recorders.items():
            sink = recorder.open(self.folder, info, self.marks.get(name))
            stack.callback(sink.close)
            self.sinks[name] = sink

    def _drive(self, machine: Machine, info: RunInfo) -> None:
        if self.ended:
            publish(self.experiment.store, self.folder)  # what could not be published before may be now
            return
        for event in train(machine):
            if event.kind == "pause":
                machine.paused = False
                self._save(machine, info)
                if self.stopping:
                    return
                continue
            self._hear(machine, info, event)
        self.ended = True
        self._save(machine, info)

    def _hear(self, machine: Machine, info: RunInfo, event: Event) -> None:
        for sink in self.sinks.values():
            self._heed(sink.event, event)
        for listener in self.listeners.event:
            self._heed(listener, info, event)
        if self.stopping:
            machine.paused = True
        if event.kind == "evaluation" and event.data["best"] and self.experiment.checkpoint.keep_best:
            self.checkpoints.save("best", {"policy": self._policy(machine), "at": event.step}, pointer="best")

    def _heed(self, told: Callable[..., Any], *what: Any) -> None:
        """Tell one of them; asking for a stop keeps the event from nobody else."""
        try:
            told(*what)
        except StopRun as stop:
            self.stop(stop.reason)

    def _save(self, machine: Machine, info: RunInfo) -> None:
        marks = {name: sink.mark() for name, sink in self.sinks.items()}
        state = {"machine": machine.state(), "marks": marks, "ended": self.ended, "policy": self._policy(machine)}
        path = self.checkpoints.save(f"step-{machine.clock.steps:012d}", state)
        publish(self.experiment.store, self.folder)
        for listener in self.listeners.checkpoint:
            listener(info, path)

    def _policy(self, machine: Machine) -> dict[str, Any]:
        """What acting needs: program, weights, filters and exploration state."""
        program, weights = machine.learner.acting()
        if not np.isfinite(weights).all():
            raise BadData(
                f"the network's weights are no longer numbers at step {machine.clock.steps} - lower "
                "agent.learner.learning_rate; nothing was saved, what was saved before is whole"
            )
        whole = {} if program else {"learner": machine.learner.state()}  # a network that NumPy cannot run
        return {
            "program": program,
            "weights": weights,
            "filters": machine.filters,
            "explorer": machine.explorer,
        } | whole


def _part_of(saved: Any, name: str) -> Any:
    if not isinstance(saved, dict) or name not in saved:
        raise BadCheckpoint(f"it holds no '{name}': only a full checkpoint can be resumed")
    return saved[name]


@contextmanager
def _interruptible(session: Session, machine: Machine) -> Iterator[None]:
    """Ctrl-C or SIGTERM asks the run to save and stop; a second one stops at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    if signals.asked():  # before the run began, and somebody swallowed it
        session.stop()
        machine.paused = True

    def asked(_number: int, _frame: Any) -> None:
        if session.stopping:
            raise KeyboardInterrupt
        session.stop()
        machine.paused = True

    before = {number: signal.signal(number, asked) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _timer(machine: Machine, experiment: Experiment) -> Iterator[None]:
    """Where checkpoints are due every so many seconds: ask for a pause each time."""
    every = experiment.checkpoint.every
    if every.unit != "seconds":
        yield
        return
    over = threading.Event()

    def tick() -> None:
        while not over.wait(every.amount):
            machine.paused = True

    thread = threading.Thread(target=tick, name="coach-checkpoint-timer", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def exclusive(folder: Path) -> Any:
    """Hold `folder` for this process until the returned file is closed; raises `CoachError` when another run has it.

    An operating-system lock, so a killed process leaves none behind.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / ".running").open("a")
    except OSError as problem:
        raise CoachError(f"cannot be a run folder: {problem.strerror or problem}", where=str(folder)) from None
    try:
        _locked(file)
    except OSError:
        file.close()
        raise CoachError(
            "another run is writing here - wait for it, or give --out another folder", where=str(folder)
        ) from None
    return file


def _locked(file: Any) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
