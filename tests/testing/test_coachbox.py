"""The box shows its own distributions alone, and leaves the process as it was."""

from __future__ import annotations

import subprocess
import sys

import pytest

from coachcore.registry.registry import current
from coachcore.testing.coachbox import CoachBox
from coachcore.testing.leaks import nothing_left_behind
from coachcore.testing.made_up import FILTER


@pytest.fixture
def box(tmp_path):
    box = CoachBox(tmp_path / "box")
    box.add("acme", points={"plus": "acme:Plus"}, code=FILTER.format(name="plus", alias="P", cls="Plus"))
    return box


def test_a_command_sees_what_is_in_the_box_and_nothing_else(box):
    before, path = current(), list(sys.path)
    with nothing_left_behind():
        said = box.run("list-plugins")
    assert (said.code, said.err) == (0, "")
    lines = [line for line in said.out.splitlines() if line]
    assert lines[0].split()[:2] == ["filter", "plus"]
    assert lines[-1].startswith("1 part")
    assert sys.path == path
    assert current().dists == before.dists


def test_the_same_in_a_process_of_its_own(box):
    assert box.run_apart("list-plugins") == box.run("list-plugins")


def test_a_box_may_be_changed_between_two_commands(box):
    assert box.run("describe", "filter/plus").code == 0
    assert box.run("describe", "filter/minus").code == 2
    box.add("more", points={"minus": "more:Minus"}, code=FILTER.format(name="minus", alias="M", cls="Minus"))
    assert box.run("describe", "filter/minus").code == 0
    assert "more" not in sys.modules


def test_what_kills_or_hangs_does_so_apart(box):
    box.add("bomb", points="[coach.plugins]\nbomb = bomb\n", code="import os; os._exit(7)")
    assert box.run_apart("no-such-command").code == 7
    box.add("snail", points="[coach.plugins]\nsnail = snail\n", code="import threading; threading.Event().wait()")
    (box.folder / "bomb" / "__init__.py").write_text("")
    with pytest.raises(subprocess.TimeoutExpired):
        box.run_apart("no-such-command", limit=2.0)
