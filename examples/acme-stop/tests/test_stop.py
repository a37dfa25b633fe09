"""What the hooks do by hand, in a real run of toys, and what the command asks for."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import coachcore
from acme_stop import Stopper
from acme_stop.command import stop
from coachcore.api import BadSetting, CoachError, Event, RunInfo, StopRun, hookimpl
from coachcore.testing.toy_plugin import ToyPlugin, toy_preset

EVENT = Event("episode", 10, 1, 0, {})


def info(folder=None):
    return RunInfo(preset="toy", seed=1, environment="toy", agent="toy", total=40, folder=folder)


@pytest.fixture
def run(tmp_path):
    (tmp_path / "preset.toml").write_text("coach = 1\n")
    return tmp_path


def test_nothing_is_stopped_unasked(run, monkeypatch):
    monkeypatch.delenv("ACME_STOP_AFTER", raising=False)
    stopper = Stopper()
    for folder in (run, None):
        stopper.coach_run_start(info(folder))
        stopper.coach_event(info(folder), EVENT)


def test_the_clock(run, monkeypatch):
    monkeypatch.setenv("ACME_STOP_AFTER", "0")
    stopper = Stopper()
    stopper.coach_run_start(info(run))
    with pytest.raises(StopRun, match="ACME_STOP_AFTER = 0 seconds are over"):
        stopper.coach_event(info(run), EVENT)


def test_a_time_that_is_none(run, monkeypatch):
    monkeypatch.setenv("ACME_STOP_AFTER", "soon")
    with pytest.raises(BadSetting, match="'soon' is no number of seconds"):
        Stopper().coach_run_start(info(run))


def test_asked_once_it_stops_once(run, monkeypatch):
    monkeypatch.delenv("ACME_STOP_AFTER", raising=False)
    said = CliRunner().invoke(stop, [str(run), "--reason", "lunch"])
    assert said.output == "asked: 1\n"
    stopper = Stopper()
    stopper.coach_run_start(info(run))
    with pytest.raises(StopRun, match="lunch"):
        stopper.coach_event(info(run), EVENT)
    stopper.coach_event(info(run), EVENT)


def test_a_folder_without_a_run_is_refused(tmp_path):
    assert isinstance(CliRunner().invoke(stop, [str(tmp_path)]).exception, CoachError)


def test_a_run_is_stopped_and_goes_on(tmp_path, monkeypatch):
    monkeypatch.delenv("ACME_STOP_AFTER", raising=False)

    class Asks:
        @hookimpl
        def coach_event(self, run, event):
            if event.step == 100:
                (run.folder / "STOP").write_text("halfway\n")

    names = {"toys": ToyPlugin(), "stopper": Stopper(), "asks": Asks()}
    for name, plugin in names.items():
        coachcore.register(plugin, name)
    try:
        outcome = coachcore.run(toy_preset(), out=tmp_path / "run")
        assert outcome.reason == "halfway"
        assert outcome.steps < 600
        assert coachcore.run(resume=tmp_path / "run").reason == "finished"
    finally:
        for name in names:
            coachcore.unregister(name)
