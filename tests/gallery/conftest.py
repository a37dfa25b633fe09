"""The gallery of hostile distributions, installed side by side where only the tests see them."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coachcore.presets.writer import dump
from coachcore.testing.made_up import made_up
from coachcore.testing.toy_plugin import toy_preset

HOSTILE: dict[str, dict[str, Any]] = {
    path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
    for path in sorted(Path(__file__).with_name("plugins").glob("*.toml"))
}
TOYS = """
[coach.environments]
toy-signs = coachcore.testing.toys:ToySigns
[coach.agents]
toy-q = coachcore.testing.toy_learning:ToyQ
[coach.engines]
toy-numpy = coachcore.testing.toy_learning:ToyEngine
[coach.embedders]
toy-as-it-is = coachcore.testing.toy_plugin:ToyEmbedder
[coach.middlewares]
toy-nothing = coachcore.testing.toy_plugin:ToyMiddleware
[coach.heads]
toy-values = coachcore.testing.toy_plugin:ToyHead
[coach.exploration]
toy-e-greedy = coachcore.testing.toys:ToyEGreedy
[coach.memories]
toy-ring = coachcore.testing.toys:ToyRing
[coach.recorders]
toy-list = coachcore.testing.toys:ToyList
[coach.filters]
gallery-sound = acme_sound:Sound
"""
SOUND = '''
import attrs
from coachcore.api import component, param

@component("filter", "gallery-sound", acts_on="reward")
@attrs.frozen(kw_only=True)
class Sound:
    """Adds a constant."""
    amount: float = param(default=1.0, ge=0, doc="what is added")

    def space(self, before):
        return before

    def init(self, before, count):
        return None

    def __call__(self, state, values, rows):
        return state, values + self.amount
'''
SHORT = {"schedule": {"heatup": "10 steps", "train": "40 steps", "evaluate": {"every": "20 steps", "episodes": 1}}}
ONE_FILTER = {"filters": {"reward": [{"use": "gallery-sound"}]}}


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every distribution of the gallery, a sound one, the toys and a preset of them."""
    folder = tmp_path_factory.mktemp("site")
    for dist, told in HOSTILE.items():
        made_up(folder, dist, points=told["points"], code=told.get("code", ""), manifest=told.get("manifest"))
    made_up(folder, "acme-sound", points=TOYS, code=SOUND)
    (folder / "toy.toml").write_text(dump(toy_preset(**SHORT, **ONE_FILTER)), encoding="utf-8")
    return folder


@pytest.fixture
def coach(site: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The `coach` command in a process of its own, with the gallery installed."""

    def call(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        search = os.pathsep.join([str(site), *filter(None, sys.path)])
        given = {"PYTHONPATH": search, "COLUMNS": "400", "COACH_CONFIG": "", "PYTHONWARNINGS": ""} | variables
        command = [sys.executable, "-P", "-m", "coachcore", *arguments]
        return subprocess.run(
            command, env=os.environ | given, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=240
        )

    return call
