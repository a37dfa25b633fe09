"""A wish to stop is raised, and remembered where somebody swallows it."""

from __future__ import annotations

import os
import signal
from contextlib import closing, suppress

import pytest

from coachcore import signals
from coachcore.running.machine import Machine
from coachcore.running.session import Session
from coachcore.testing.toys import toy_experiment


@pytest.fixture(autouse=True)
def handlers():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signals.listen()
    yield
    signals.listen()  # forget what was asked
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_is_raised_and_remembered(number):
    assert not signals.asked()
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), number)
    assert signals.asked()


def test_a_run_that_begins_after_a_swallowed_wish_saves_and_stops(tmp_path):
    with suppress(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
    with closing(Machine(toy_experiment())) as machine:
        outcome = Session(machine, tmp_path).run()
    assert outcome.interrupted
    assert outcome.steps < 600
    assert (tmp_path / "checkpoints" / "latest").exists()
