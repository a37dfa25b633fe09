"""An environment that fails in every way a simulator can, where a child process can import it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

FRAIL = '''
"""Counts its steps; fails when and how it is told to."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import attrs
import numpy as np

from coachcore.api import BadData, Box, Discrete, Spaces, Step, component, param


@component("environment", "frail")
@attrs.frozen(kw_only=True)
class Frail:
    """Shows its seed and its count of steps; pays the action; fails once for each file in `pardoned` it can make."""

    how: str = param(default="", doc="how it fails")
    where: str = param(default="step", doc="in which call it fails")
    at: int = param(default=3, doc="at which step")
    pardoned: tuple[str, ...] = param(default=(), doc="files, one a failure; it fails no more when all of them exist")
    length: int = param(default=6, doc="steps of an episode")
    drift: bool = param(default=False, doc="whether it shows its process, too")

    def make(self, count, *, render=False):
        return Frails(self, render)


class Frails:
    count = 1

    def __init__(self, part, render):
        shown = {"observation": Box((3,)), "picture": Box((2, 2, 3), 0, 255, "uint8")}
        self.spaces = Spaces(observation=shown, action=Discrete(5))
        self.part, self.shows, self.steps, self.seed = part, render, 0, 0
        print("made")
        self.fail("make")

    def reset(self, envs, seeds):
        self.steps, self.seed = 0, seeds[0] % 100
        self.fail("reset")
        return self.seen()

    def step(self, actions):
        self.steps += 1
        if self.steps == self.part.at:
            self.fail("step")
        over = np.array([self.steps >= self.part.length])
        return Step(self.seen(), np.array([float(actions[0])]), over, np.zeros(1, bool))

    def seen(self):
        own = os.getpid() % 100_000 if self.part.drift else 0
        shape = (1, 4) if self.part.how == "shape" and self.steps else (1, 3)
        numbers = np.resize(np.array([self.seed, self.steps, own], np.float32), shape)
        return {"observation": numbers, "picture": np.full((1, 2, 2, 3), self.steps, np.uint8)}

    def render(self):
        self.fail("render")
        return np.full((4, 6, 3), self.steps, np.uint8) if self.shows else None

    def close(self):
        self.fail("close")

    def lives(self):
        return np.array([3 - self.steps // 2])

    def fail(self, where):
        if self.part.where != where or not self.part.how:
            return
        for path in self.part.pardoned:
            if not Path(path).exists():
                Path(path).touch()
                break
        else:
            if self.part.pardoned:
                return
        if self.part.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.part.how == "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        if self.part.how == "hang":
            time.sleep(1_000)
        if self.part.how == "exit":
            os._exit(7)
        if self.part.how == "sys.exit":
            sys.exit("gone")
        if self.part.how == "raise":
            raise RuntimeError("two\\nlines")
        if self.part.how == "coach":
            raise BadData("a number is wrong", where="frail")
'''


@pytest.fixture
def frail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """The part; `times`: how often it fails before it fails no more (0: always)."""
    (tmp_path / "frail_environment.py").write_text(FRAIL, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = import_module("frail_environment")

    def make(times: int = 0, **settings: Any) -> Any:
        return module.Frail(pardoned=tuple(str(tmp_path / f"pardon-{i}") for i in range(times)), **settings)

    yield make
    monkeypatch.delitem(__import__("sys").modules, "frail_environment")
