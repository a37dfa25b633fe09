"""The guard sees each kind of trace, and only what was left behind."""

from __future__ import annotations

import os
import random
import threading

import numpy as np
import pytest

from coachcore.testing import leaks
from coachcore.testing.leaks import OPEN, left_behind, nothing_left_behind, traces


def test_nothing_is_found_where_nothing_was_left(tmp_path, monkeypatch):
    with nothing_left_behind():
        (tmp_path / "a").write_text("closed again")
        thread = threading.Thread(target=lambda: None)
        thread.start()
        np.random.default_rng(1).random()


def test_variables(monkeypatch):
    monkeypatch.setenv("COACH_OLD", "1")
    before = traces()
    monkeypatch.setenv("COACH_NEW", "1")
    monkeypatch.delenv("COACH_OLD")
    assert left_behind(before) == ["environment variables were changed: COACH_NEW, COACH_OLD"]
    assert "COACH_NEW" in os.environ


@pytest.mark.parametrize(("draw", "whose"), [(np.random.random, "NumPy's"), (random.random, "Python's")])
def test_global_randomness(draw, whose):
    before = traces()
    draw()
    assert [line.partition(" global")[0] for line in left_behind(before)] == [whose]


def test_a_thread_that_goes_on(monkeypatch):
    monkeypatch.setattr(leaks, "PATIENCE", 0.01)
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait, name="worker-of-mine")
    before = traces()
    thread.start()
    try:
        assert left_behind(before) == ["threads are still running: worker-of-mine"]
    finally:
        stop.set()
        thread.join()


@pytest.mark.skipif(not OPEN.is_dir(), reason="open files are listed on Linux only")
def test_an_open_file(tmp_path):
    before = traces()
    with (tmp_path / "left.txt").open("w"):
        assert left_behind(before) == [f"files are still open: {tmp_path / 'left.txt'}"]
    assert left_behind(before) == []


def test_the_block_says_all_at_once_and_puts_variables_back(monkeypatch):
    monkeypatch.setenv("COACH_OLD", "1")

    def leaky():
        with nothing_left_behind():
            os.environ["COACH_NEW"] = "1"
            os.environ["COACH_OLD"] = "2"
            np.random.random()  # noqa: NPY002 - what must be seen

    with pytest.raises(AssertionError, match="COACH_NEW, COACH_OLD; NumPy's global random state was moved"):
        leaky()
    assert "COACH_NEW" not in os.environ
    assert os.environ["COACH_OLD"] == "1"
