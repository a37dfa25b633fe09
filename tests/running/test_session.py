"""A run in a folder: stopped, interrupted, resumed, refused; what was written stays whole."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import closing
from types import SimpleNamespace

import attrs
import numpy as np
import pytest

from coachcore.clock import Duration
from coachcore.component import component, param
from coachcore.errors import BadCheckpoint, BadData, CoachError, StopRun
from coachcore.running.checkpoint import Checkpoints
from coachcore.running.machine import Machine
from coachcore.running.session import Listeners, Session, exclusive
from coachcore.settings import CheckpointSettings, EvaluateSettings, ScheduleSettings
from coachcore.testing.laws import differing
from coachcore.testing.toys import ToyList, ToySigns, toy_experiment

SCHEDULE = ScheduleSettings(
    heatup="50 steps",
    train="600 steps",
    report_every="100 steps",
    evaluate=EvaluateSettings(every="200 steps", episodes=3),
)


def experiment(**changes):
    recorder = ToyList()
    made = toy_experiment(**({"schedule": SCHEDULE, "recorders": {"toy-list": recorder}} | changes))
    return made, recorder


def run(made, folder, **given):
    with closing(Machine(made)) as machine:
        return Session(machine, folder, **given).run()


def go_on(made, folder, **given):
    saved = Checkpoints(folder / "checkpoints").load()
    return run(made, folder, saved=saved, **given)


def final(folder):
    return Checkpoints(folder / "checkpoints").load()["machine"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run nobody disturbed: its outcome, events and final state."""
    made, recorder = experiment()
    folder = tmp_path_factory.mktemp("whole")
    return run(made, folder), recorder.kept[folder], final(folder)


def test_a_run_to_its_end(whole):
    outcome, events, _ = whole
    assert (outcome.reason, outcome.steps, outcome.episodes, outcome.updates) == ("finished", 600, 60, 550)
    assert [event.kind for event in events[:2]] == ["run-start", "episode"]
    assert events[-1].data == {"reason": "finished", "best": outcome.best}
    checkpoints = Checkpoints(outcome.folder / "checkpoints")
    assert checkpoints.names() == ["best", "step-000000000400", "step-000000000600"]
    assert checkpoints.load("best")["at"] in (200, 400, 600)


@pytest.mark.parametrize("at", [1, 30, 57, 66])
def test_stopped_and_resumed_equals_never_stopped(whole, tmp_path, at):
    made, recorder = experiment()
    folder = tmp_path / "stopped"
    heard = []

    def stop(_run, event):
        heard.append(event)
        if len(heard) == at:
            raise StopRun("enough")

    outcome = run(made, folder, listeners=Listeners(event=(stop,)))
    assert outcome.reason == "enough"
    assert not outcome.interrupted
    assert outcome.steps < 600
    resumed = go_on(made, folder)
    assert (resumed.reason, resumed.best) == (whole[0].reason, whole[0].best)
    assert recorder.kept[folder] == whole[1]
    assert differing(final(folder), whole[2]) == []


def test_asking_for_a_stop_keeps_the_event_from_nobody(tmp_path):
    heard = []

    def stop(_run, event):
        if event.kind == "episode":
            raise StopRun("enough")

    made, _ = experiment()
    run(made, tmp_path, listeners=Listeners(event=(stop, lambda _run, event: heard.append(event.kind))))
    assert heard == ["run-start", "episode", *["episode"] * (len(heard) - 2)]


def test_weights_that_are_no_numbers_are_never_saved(tmp_path):
    made, _ = experiment()
    with closing(Machine(made)) as machine:
        session = Session(machine, tmp_path)
        good = machine.learner.acting
        machine.learner.acting = lambda: (good()[0], good()[1] * np.nan)
        with pytest.raises(BadData, match="the network's weights are no longer numbers at step"):
            session.run()
    assert Checkpoints(tmp_path / "checkpoints").names() == []


def test_an_interrupt_saves_and_can_go_on(whole, tmp_path):
    made, recorder = experiment()
    folder = tmp_path / "interrupted"

    def interrupt(_run, event):
        if event.step == 310:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    outcome = run(made, folder, listeners=Listeners(event=(interrupt,)))
    assert outcome.interrupted
    assert signal.getsignal(signal.SIGINT) is before
    assert [event.kind for event in recorder.kept[folder]].count("run-end") == 0
    go_on(made, folder)
    assert recorder.kept[folder] == whole[1]
    assert differing(final(folder), whole[2]) == []


def test_a_second_interrupt_stops_at_once(tmp_path):
    made, _ = experiment()

    def interrupt(_run, event):
        if event.kind == "episode":
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run(made, tmp_path, listeners=Listeners(event=(interrupt,)))


def test_killed_between_checkpoints_goes_on_from_the_last(whole, tmp_path):
    """What follows the last checkpoint is lost with the process, and comes again."""
    made, recorder = experiment()
    folder = tmp_path / "killed"

    class Killed(BaseException):
        pass

    def kill(_run, event):
        if event.step == 530:
            raise Killed

    with pytest.raises(Killed):
        run(made, folder, listeners=Listeners(event=(kill,)))
    assert Checkpoints(folder / "checkpoints").pointed("latest") == "step-000000000400"
    go_on(made, folder)
    assert recorder.kept[folder] == whole[1]
    assert differing(final(folder), whole[2]) == []


def test_a_finished_run_resumed_has_nothing_left_to_do(whole, tmp_path):
    made, recorder = experiment()
    folder = tmp_path / "again"
    run(made, folder)
    outcome = go_on(made, folder)
    assert (outcome.reason, outcome.steps) == ("finished", 600)
    assert recorder.kept[folder] == whole[1]


def test_killed_after_the_last_step_but_before_the_end(whole, tmp_path):
    """The checkpoint of the last step says that the run is over, but not that its end was told."""
    made, recorder = experiment()
    folder = tmp_path / "late"

    class Killed(BaseException):
        pass

    def kill(_run, event):
        if event.kind == "run-end":
            raise Killed

    with pytest.raises(Killed):
        run(made, folder, listeners=Listeners(event=(kill,)))
    go_on(made, folder)
    assert recorder.kept[folder] == whole[1]


def test_bad_data_leaves_the_last_checkpoint_whole(tmp_path):
    made, _ = experiment()
    run(attrs.evolve(made, schedule=attrs.evolve(SCHEDULE, train=Duration(200, "steps"))), tmp_path)
    saved = Checkpoints(tmp_path / "checkpoints").load()
    saved["machine"]["done"], saved["ended"] = "", False
    broken = attrs.evolve(made, environment=ToySigns(nan_at=3))
    with pytest.raises(BadData, match="the reward is nan"):
        run(broken, tmp_path, saved=saved)
    assert Checkpoints(tmp_path / "checkpoints").load()["machine"]["clock"]["steps"] == 200


def test_sinks_are_closed_whatever_happens(tmp_path):
    closed = []

    @component("recorder", "toy-closing")
    @attrs.frozen
    class Closing:
        def open(self, folder, info, mark=None):
            sink = ToyList().open(folder, info, mark)
            sink.close = lambda: closed.append(info.preset)
            return sink

    made, _ = experiment(environment=ToySigns(nan_at=3), recorders={"toy-closing": Closing()})
    with pytest.raises(BadData):
        run(made, tmp_path)
    assert closed == ["toy"]


def test_listeners_hear_start_events_checkpoints_and_end(tmp_path):
    heard = []
    listeners = Listeners(
        start=(lambda info: heard.append(("start", info.preset)),),
        event=(lambda _info, event: heard.append((event.kind, event.step)),),
        checkpoint=(lambda _info, path: heard.append(("saved", path.name)),),
        end=(lambda _info, outcome: heard.append(("end", outcome.reason)),),
    )
    made, _ = experiment(schedule=attrs.evolve(SCHEDULE, train=Duration(210, "steps")))
    run(made, tmp_path, listeners=listeners)
    assert heard[0] == ("start", "toy")
    assert heard[-3:] == [("run-end", 210), ("saved", "step-000000000210.json"), ("end", "finished")]
    assert ("saved", "step-000000000200.json") in heard


@component("environment", "within")
@attrs.frozen(kw_only=True)
class Within:
    """Another environment, as it is."""

    environment: object = param(type="environment", doc="which")

    def make(self, count, *, render=False):
        return self.environment.make(count, render=render)


@component("environment", "named")
@attrs.frozen(kw_only=True)
class Named:
    """Has an id, and a setting `environment` that is no part."""

    id: str = param(default="sign-reader", doc="what it is called")
    environment: str = param(default="outdoors", doc="where it is")

    def make(self, count, *, render=False):
        return ToySigns().make(count, render=render)


@pytest.mark.parametrize(
    ("environment", "name", "shown"),
    [
        (ToySigns(), "toy-signs", "toy-signs"),
        (Within(environment=Within(environment=ToySigns())), "toy-signs", "toy-signs"),
        (Within(environment=Named()), "named", "sign-reader"),
    ],
    ids=["plain", "held twice", "with an id"],
)
def test_a_run_is_known_by_the_environment_within(tmp_path, environment, name, shown):
    known = []
    listeners = Listeners(start=(lambda info: known.append(info.environment),))
    made, recorder = experiment(environment=environment, schedule=attrs.evolve(SCHEDULE, train=Duration(60, "steps")))
    run(made, tmp_path, listeners=listeners)
    assert known == [shown]
    assert recorder.kept[tmp_path][0].data["environment"] == name


def test_the_policy_alone_cannot_be_resumed(tmp_path):
    made, _ = experiment()
    run(made, tmp_path)
    best = Checkpoints(tmp_path / "checkpoints").load("best")
    with pytest.raises(BadCheckpoint, match="it holds no 'machine': only a full checkpoint can be resumed"):
        run(made, tmp_path, saved=best)


def test_checkpoints_due_by_seconds(tmp_path):
    """The timer thread asks, the loop answers at its next safe moment."""
    made, _ = experiment(checkpoint=CheckpointSettings(every=Duration(1, "seconds")))
    asked = threading.Event()
    with closing(Machine(made)) as machine:
        session = Session(machine, tmp_path)

        def wait(_run, event):
            if event.step == 100 and not asked.is_set():
                while not machine.paused:  # until the timer has come round once
                    threading.Event().wait(0.01)
                asked.set()

        session.listeners = Listeners(event=(wait,))
        session.run()
    assert asked.is_set()
    assert not any(thread.name == "coach-checkpoint-timer" for thread in threading.enumerate())


def test_two_runs_into_one_folder(tmp_path):
    with (
        exclusive(tmp_path),
        pytest.raises(CoachError, match="another run is writing here - wait for it, or give --out another folder"),
    ):
        exclusive(tmp_path)
    exclusive(tmp_path).close()


def test_a_lock_on_windows(tmp_path, monkeypatch):
    """There fcntl is missing and msvcrt locks one byte, or raises OSError at once."""
    asked = []

    def locking(*given):
        asked.append(given)
        if len(asked) > 1:
            raise OSError(36, "Resource deadlock avoided")

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    with exclusive(tmp_path) as file:
        assert asked == [(file.fileno(), 2, 1)]
        with pytest.raises(CoachError, match="another run is writing here"):
            exclusive(tmp_path)


def test_beside_the_main_thread_signals_stay_as_they_are(whole, tmp_path):
    """A notebook's thread may train: Python lets only the main thread listen for signals."""
    made, recorder = experiment()
    before, outcomes = signal.getsignal(signal.SIGINT), []
    during = []

    def look(_run, _event):
        during.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(
        target=lambda: outcomes.append(run(made, tmp_path / "beside", listeners=Listeners(event=(look,))))
    )
    thread.start()
    thread.join()
    assert set(during) == {before}
    assert [(outcome.reason, outcome.best) for outcome in outcomes] == [(whole[0].reason, whole[0].best)]
    assert recorder.kept[tmp_path / "beside"] == whole[1]
