"""Ctrl-C at any moment: either nothing was written, or the run goes on as if nothing had happened."""

from __future__ import annotations

import signal
import time

import pytest

from coachcore.cli.main import invoke
from coachcore.running.checkpoint import Checkpoints

STRIKE_AT_IMPORT = """
import os, signal, sys
class Strike:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Strike())
"""

STRIKE_AT_CALL = """
import importlib, os, signal, threading
def strike_at(place, wanted, late=0.0):
    module, _, path = place.partition(":")
    owner = importlib.import_module(module)
    *outer, name = path.split(".")
    for each in outer:
        owner = getattr(owner, each)
    real, calls = getattr(owner, name), 0
    def striking(*arguments, **named):
        nonlocal calls
        calls += 1
        if calls in wanted:
            if late:
                threading.Timer(late, os.kill, (os.getpid(), signal.SIGINT)).start()
            else:
                os.kill(os.getpid(), signal.SIGINT)
        return real(*arguments, **named)
    setattr(owner, name, striking)
strike_at({place!r}, {calls!r}, {late!r})
"""

STRIKE_TWICE = """
import os, signal
from coachcore.running import checkpoint
save, write, saving = checkpoint.Checkpoints.save, checkpoint._write, ""
def named(self, name, state, **how):
    global saving
    saving = name
    return save(self, name, state, **how)
def striking(path, data):
    if saving == {name!r} and path.name.endswith({ending!r}):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
    write(path, data)
checkpoint.Checkpoints.save, checkpoint._write = named, striking
"""

SIMULATORS = "coach_gymnasium.vector:Simulators"
LEARNER = "coachcore.running.loop:learn_once"
WRITE = "coachcore.running.checkpoint:_write"


def struck(runs, place, *calls, late=0.0):
    """The short run, with Ctrl-C at the given calls (from 1) of a function."""
    folder = runs.folder / "run"
    prelude = STRIKE_AT_CALL.format(place=place, calls=set(calls), late=late)
    return folder, runs.child(*runs.arguments(folder), prelude=prelude)


@pytest.mark.parametrize("name", ["coachcore.door", "numpy", "gymnasium", "tensorflow", "keras", "coachcore.folder"])
def test_while_starting_up_nothing_is_written(runs, name):
    folder = runs.folder / "run"
    said = runs.child(*runs.arguments(folder), prelude=STRIKE_AT_IMPORT.format(name=name))
    assert said == (130, "", "coach: stopped\n")
    assert not folder.exists()


def test_while_the_folder_is_furnished(runs):
    """What was written does not yet make a run: the same command starts it."""
    folder, said = struck(runs, "coachcore.folder:lock", 1)
    assert said == (130, "", "coach: stopped\n")
    assert invoke(runs.arguments(folder)) == 0
    runs.is_whole(folder)


def test_between_furnishing_and_the_first_step(runs):
    """Nothing was saved, so going on means starting at the beginning."""
    folder, said = struck(runs, "coachcore.running.session:Session._open", 1)
    assert said == (130, "", "coach: stopped\n")
    runs.went_on(folder)


@pytest.mark.parametrize(
    ("place", "call", "late"),
    [
        (f"{SIMULATORS}.step", 100, 0.0),  # heat-up
        (LEARNER, 1, 0.05),  # while the update is being compiled
        (f"{SIMULATORS}.step", 707, 0.0),  # training
        ("coachcore.running.evaluate:play", 1, 0.0),
        (WRITE, 1, 0.0),  # the first checkpoint's first part
    ],
    ids=["heat-up", "compilation", "training", "evaluation", "saving"],
)
def test_while_running(runs, place, call, late):
    folder, said = struck(runs, place, call, late=late)
    assert (said.code, said.err) == (130, ""), said
    assert said.out.splitlines()[0].startswith("interrupted after ")
    assert said.out.splitlines()[-1] == f"saved; go on with: coach run --resume {folder}"
    runs.went_on(folder)


@pytest.mark.parametrize("ending", [".npy", "latest"])
def test_twice_while_saving_leaves_the_checkpoint_before(runs, ending):
    """The first asks to save and stop, the second stops at once: before a part or the pointer is written."""
    folder = runs.folder / "run"
    said = runs.child(*runs.arguments(folder), prelude=STRIKE_TWICE.format(name="step-000000001500", ending=ending))
    assert said == (130, "", "coach: stopped\n")
    assert Checkpoints(folder / "checkpoints").pointed("latest") == "step-000000001000"
    runs.went_on(folder)


def test_twice_before_anything_was_saved(runs):
    """The first Ctrl-C lets the step finish, the second stops at once: the run can start over."""
    folder, said = struck(runs, f"{SIMULATORS}.step", 100, 101)
    assert said == (130, "", "coach: stopped\n")
    runs.went_on(folder)


@pytest.mark.slow
def test_from_outside_and_again_while_resuming(runs):
    """As a person does it: somewhere after the first checkpoint, then once more after the next."""
    folder = runs.folder / "run"
    command, marker = runs.arguments(folder), 500
    while True:
        process = runs.started(command)
        wait_for_step(folder / "checkpoints", marker, process)
        process.send_signal(signal.SIGINT)
        said = runs.ended(process)
        if said.code == 0:
            break
        assert said.code == 130, said
        assert said.err in ("", "coach: stopped\n")
        command, marker = ["run", "--resume", str(folder)], marker + 1500
    runs.is_whole(folder)


def wait_for_step(checkpoints, step, process):
    """Until a checkpoint of `step` or later is there, or the process has ended."""
    patience = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < patience:
        steps = [int(path.stem.partition("+")[0][5:]) for path in checkpoints.glob("step-*.json")]
        if any(each >= step for each in steps):
            return
        time.sleep(0.005)


def test_two_runs_into_one_folder_at_once(runs, coach):
    """The second is refused in one line; the first does not notice."""
    folder = runs.folder / "run"
    process = runs.started(runs.arguments(folder, 'schedule.train="1_000_000 steps"'))
    try:
        wait_for_step(folder / "checkpoints", 500, process)
        coach(*runs.arguments(folder)).refusal(f"coach: {folder}: ", "another run is writing here", "--out")
        coach("run", "--resume", str(folder)).refusal(f"coach: {folder}: another run is writing here", "--out")
        process.send_signal(signal.SIGINT)
    except BaseException:
        process.send_signal(signal.SIGKILL)
        raise
    finally:
        said = runs.ended(process)
    assert said.code == 130, said
    assert f"go on with: coach run --resume {folder}" in said.out
    assert coach("evaluate", str(folder), "--checkpoint", "latest", "--episodes", "1").fine()
