"""What is written: complete for every kind, lawful, tested, and used in a run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from contextlib import chdir
from importlib.util import find_spec
from pathlib import Path

import pytest

import coachcore
from coach_author.create import KINDS, Wanted, new
from coachcore.api import CoachError, hookimpl
from coachcore.testing.suites import check_part
from coachcore.testing.toy_learning import ToyEngine
from coachcore.testing.toy_plugin import ToyPlugin, toy_preset

LAYERED = ("layer", "embedder", "middleware", "head", "agent")
TESTABLE = [kind for kind in KINDS if kind not in LAYERED or find_spec("keras") is not None]
FILES = {"README.md", "pyproject.toml", ".gitignore", ".github/workflows/test.yml"}


def made(kind, cls):
    return cls(inner=ToyEngine()) if kind == "engine" else cls()


@pytest.mark.parametrize("kind", KINDS)
def test_a_distribution_is_complete(kind, every):
    folder, name = every / f"acme-{kind}", f"acme_{kind}"
    package = {f"src/{name}/{file}" for file in ("__init__.py", f"{name}.py", "py.typed", "coach_plugin.json")}
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert there == {*FILES, *package, f"docs/acme-{kind}.md", f"tests/test_{name}.py"}
    for path in sorted(there - {".github/workflows/test.yml", "README.md"}):
        assert "$" not in (folder / path).read_text()
    assert "${{ matrix.python }}" in (folder / ".github/workflows/test.yml").read_text()
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    assert project["license"] == "Apache-2.0"
    (points,) = project["entry-points"].values()
    assert points == {f"acme-{kind}": f"{name}.{name}:Acme{kind.title()}"}
    snippet = re.search(r"```toml\n(.*?)```", (folder / "README.md").read_text(), re.DOTALL)[1]
    assert f"acme-{kind}" in snippet
    tomllib.loads(snippet)


@pytest.mark.parametrize("kind", TESTABLE)
def test_its_part_keeps_the_laws_of_its_kind(kind, classes, tmp_path):
    with chdir(tmp_path):
        check_part(kind, made(kind, classes(kind)), tmp_path)


def test_the_tests_that_are_written_pass(every):
    """All of them in one process, as `coach plugin test` would run each."""
    folders = [every / f"acme-{kind}" for kind in TESTABLE]
    path = os.pathsep.join([*(str(folder / "src") for folder in folders), *filter(None, sys.path)])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib"]
    done = subprocess.run(
        [*command, "-c", os.devnull, "--rootdir", str(every), *(str(folder / "tests") for folder in folders)],
        env=os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=every,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert re.search(r"\d+ passed in", done.stdout)


class Everything:
    """The generated parts that a run without layers can use."""

    def __init__(self, classes):
        self.classes = classes

    @hookimpl
    def coach_filters(self):
        return [self.classes("filter")]

    @hookimpl
    def coach_exploration_policies(self):
        return [self.classes("exploration")]

    @hookimpl
    def coach_memories(self):
        return [self.classes("memory")]

    @hookimpl
    def coach_environments(self):
        return [self.classes("environment")]

    @hookimpl
    def coach_schedules(self):
        return [self.classes("schedule")]

    @hookimpl
    def coach_engines(self):
        return [self.classes("engine")]

    @hookimpl
    def coach_recorders(self):
        return [self.classes("recorder")]


@pytest.fixture
def registered(classes):
    names = [coachcore.register(ToyPlugin(), "toys"), coachcore.register(Everything(classes), "acme")]
    yield
    for name in names:
        coachcore.unregister(name)


def test_parts_are_used_in_a_run_by_name(registered, tmp_path):
    preset = toy_preset(
        environment={"use": "acme-environment", "length": 3},
        engine={"use": "acme-engine", "inner": {"use": "toy-numpy"}},
        exploration={"use": "toy-e-greedy", "epsilon": {"use": "acme-schedule", "steps": 300}},
        memory={"use": "acme-memory", "capacity": 500},
        filters={"reward": [{"use": "acme-filter"}]},
        recorders=[{"use": "acme-recorder"}],
    )
    outcome = coachcore.run(coachcore.load_preset(preset), out=tmp_path / "run")
    assert outcome.best == 1.0
    assert (tmp_path / "run" / "returns.txt").read_text().count("\n") > 10


def test_an_exploration_policy_is_used_in_a_run(registered, tmp_path):
    preset = toy_preset(exploration={"use": "acme-exploration", "margin": 0.5}, recorders=[])
    assert coachcore.run(coachcore.load_preset(preset), out=tmp_path / "run").best > 5.0


class Layered:
    """The generated parts of networks, and the agent."""

    def __init__(self, classes):
        self.classes = classes

    @hookimpl
    def coach_layers(self):
        return [self.classes("layer")]

    @hookimpl
    def coach_embedders(self):
        return [self.classes("embedder")]

    @hookimpl
    def coach_middlewares(self):
        return [self.classes("middleware")]

    @hookimpl
    def coach_heads(self):
        return [self.classes("head")]

    @hookimpl
    def coach_agents(self):
        return [self.classes("agent")]


def test_parts_of_networks_are_used_in_a_run(registered, classes, tmp_path):
    for needed in ("tensorflow", "coach_tensorflow", "coach_networks"):
        pytest.importorskip(needed, reason=f"a run with layers needs {needed}")
    assert set(LAYERED) <= set(KINDS)
    network = {
        "embedders": {"observation": {"use": "acme-embedder", "units": 8}},
        "middleware": {"use": "acme-middleware", "width": 8, "depth": 1},
        "heads": {"q": {"use": "acme-head"}},
    }
    name = coachcore.register(Layered(classes), "acme-layers")
    try:
        for inner in (
            network,
            network | {"middleware": {"use": "dense", "scheme": [{"use": "acme-layer", "units": 8}]}},
        ):
            preset = toy_preset(
                agent={"use": "acme-agent", "network": inner, "learner": {"batch_size": 16, "learning_rate": 0.01}},
                engine={"use": "tensorflow"},
                recorders=[],
            )
            folder = tmp_path / inner["middleware"]["use"]
            assert coachcore.run(coachcore.load_preset(preset), out=folder).best is not None
    finally:
        coachcore.unregister(name)


@pytest.mark.parametrize(
    ("name", "part", "said"),
    [
        ("Acme", "acme", "lower-case words joined by hyphens"),
        ("acme_root", "acme", "lower-case words joined by hyphens"),
        ("acme-", "acme", "lower-case words joined by hyphens"),
        ("../acme", "acme", "lower-case words joined by hyphens"),
        ("acme", "3d", "lower-case words joined by hyphens"),
        ("class", "acme", "a word of Python itself"),
        ("acme", "match", "a word of Python itself"),
        ("json", "acme", "is installed here already"),
        ("coach-author", "acme", "is installed here already"),
    ],
)
def test_a_name_that_will_not_do_is_refused_in_one_line(name, part, said, tmp_path):
    with pytest.raises(CoachError, match=said) as refused:
        new(Wanted(name, "filter", part), tmp_path)
    assert "\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_left_alone(tmp_path):
    (tmp_path / "acme-root").mkdir()
    with pytest.raises(CoachError, match="acme-root: is there already - choose another name"):
        new(Wanted("acme-root", "filter", "acme-root"), tmp_path)
    assert list((tmp_path / "acme-root").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    with pytest.raises(CoachError, match="cannot be made: No such file"):
        new(Wanted("acme-root", "filter", "acme-root"), tmp_path / "gone")


def test_half_a_distribution_is_taken_away(tmp_path, monkeypatch):
    def fails(_folder: Path) -> None:
        raise CoachError("the child died")

    monkeypatch.setattr("coach_author.create.sync", fails)
    with pytest.raises(CoachError, match="the child died"):
        new(Wanted("acme-root", "filter", "acme-root"), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_part_may_have_a_name_of_its_own(tmp_path):
    folder = new(Wanted("acme-tools", "schedule", "half-wave"), tmp_path)
    text = (folder / "src" / "acme_tools" / "half_wave.py").read_text()
    assert '@component("schedule", "half-wave", ' in text
    assert "class HalfWave:" in text
