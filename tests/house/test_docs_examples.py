"""Every preset that the reference prints is sound and runs, all in this process; so is every hook's example."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import attrs
import click
import pytest

import coachcore
from coachcore.errors import CoachError, Problems
from coachcore.registry import hookspecs
from coachcore.registry.registry import Registry
from coachcore.specs import KINDS
from coachcore.testing.toy_plugin import ToyPlugin, toy_preset

DOCS = Path(__file__).resolve().parents[2] / "docs"
REFERENCE = DOCS / "reference"
PART_PAGES = sorted(path for kind in KINDS for path in (REFERENCE / kind).glob("*.md"))
PLACED = ("filter", "exploration", "layer", "embedder", "middleware", "head", "memory", "agent", "environment")
PLACED += ("schedule", "engine", "recorder")
FRAGMENTS = {"filter/attention-discretization", "filter/full-discrete-map"}
"""Laid over a small preset to be checked, and not run: no environment that this tree brings has such actions."""
REUSED = {"train_every": "16 steps"}
FRESH = {"train_every": "64 steps", "epochs": 1, "batch_size": 64}
BACKEND = os.environ.get("KERAS_BACKEND", "tensorflow")


def named(path):
    return path.relative_to(REFERENCE).with_suffix("").as_posix()


def printed(page):
    """The preset of a part's page, as it is printed."""
    found = re.search(r"^## In a preset\n\n```toml\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


PRESETS = [pytest.param(printed(page), id=named(page)) for page in PART_PAGES if printed(page)]


@pytest.fixture(scope="module")
def registry():
    found = Registry()
    if not found.entries():
        pytest.skip("no plugin is installed")
    return found


def loaded(text, registry, **tables):
    """The preset with some tables changed, skipped where a package that it needs is not here."""
    document = tomllib.loads(text)
    if "coach" not in document:
        document = tomllib.loads((DOCS / "examples" / "around" / "discrete.toml").read_text("utf-8")) | document
    for name, changes in tables.items():
        document[name] = {**document.get(name, {}), **changes} if isinstance(changes, dict) else changes
    try:
        return coachcore.load_preset(document)
    except Problems as problems:
        lacking = [line for line in problems.lines if line.endswith("not installed here")]
        if lacking != list(problems.lines):
            raise
        pytest.skip(lacking[0])


def test_every_part_that_stands_in_a_preset_shows_one():
    without = {page.parent.name for page in PART_PAGES if not printed(page)}
    assert without & set(PLACED) == set()


def test_every_example_by_hand_is_of_a_part_and_printed():
    root = DOCS.parent
    for path in [*(DOCS / "examples").glob("*/*.toml"), *root.glob("plugins/*/examples/*/*.toml")]:
        kind, name = path.parent.name, path.stem
        if kind not in ("around", "hooks"):
            assert printed(REFERENCE / kind / f"{name}.md").strip() == path.read_text("utf-8").strip()


@pytest.mark.parametrize("path", sorted((DOCS / "examples" / "around").glob("*.toml")), ids=lambda path: path.stem)
def test_the_surroundings_are_sound_by_themselves(path, registry):
    loaded(path.read_text("utf-8"), registry)


@pytest.mark.parametrize("page", PART_PAGES, ids=named)
def test_the_preset_of_a_page_names_its_part(page):
    if text := printed(page):
        assert f'use = "{page.stem}"' in text


@pytest.mark.parametrize("text", PRESETS)
def test_sound(text, registry):
    loaded(text, registry)


@pytest.fixture
def by_the_graph(monkeypatch):
    """The update runs in TensorFlow's graph executor: the same one, ready in a third of the time that XLA takes.

    What XLA makes of every agent is the business of the engine's own tests.
    """
    if find_spec("coach_tensorflow") is None:
        return
    engine = import_module("coach_tensorflow.engine").TensorFlow
    make = engine.make
    monkeypatch.setattr(engine, "make", lambda self, problem: make(self, attrs.evolve(problem, executor="twin")))


def test_only_parts_that_nothing_here_can_run_show_less_than_a_whole_preset():
    assert {one.id for one in PRESETS if "coach" not in tomllib.loads(one.values[0])} == FRAGMENTS


@pytest.mark.slow
@pytest.mark.usefixtures("by_the_graph")
@pytest.mark.parametrize("text", [one for one in PRESETS if one.id not in FRAGMENTS])
def test_runs(text, registry, tmp_path):
    """A few steps and updates: what a preset says of its length is for those who use it."""
    preset = loaded(text, registry)
    if preset.resolved["engine"]["use"] not in ("numpy", BACKEND):
        pytest.skip(f"networks are on {BACKEND} in this process")
    agent = registry.resolve("agent", preset.resolved["agent"]["use"]).spec
    fresh = agent.facts.get("data", {}).get("fresh", False)
    document = tomllib.loads(text)
    learner = {**document["agent"].get("learner", {}), **(FRESH if fresh else REUSED)}
    schedule = {"heatup": "0 steps" if fresh else "64 steps", "train": "128 steps"}
    once = {"evaluate": {"every": "100 steps", "episodes": 1}}
    shown = {} if "recorders" in document else {"recorders": []}
    short = loaded(text, registry, agent={"learner": learner}, schedule=schedule | once, **shown)
    outcome = coachcore.run(short, out=tmp_path / "run")
    assert (outcome.reason, outcome.updates > 0) == ("finished", True)
    assert outcome.steps >= 128
    assert outcome.best is not None


def by_hand():
    return sorted((DOCS / "examples" / "hooks").glob("*.py"))


@pytest.fixture
def hooks(monkeypatch):
    """The hand-written examples by hook, each a module."""
    modules = {}
    for path in by_hand():
        module = ModuleType(f"coach_docs_{path.stem}")
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(compile(path.read_text("utf-8"), str(path), "exec"), vars(module))
        modules[path.stem] = module
    return modules


def test_every_hook_has_an_example():
    page = (REFERENCE / "hooks.md").read_text("utf-8")
    for hook in (name for name in vars(hookspecs) if name.startswith("coach_")):
        assert re.search(rf"^## `{hook}`\n\n```python\n.*?```python\n.*?^def {hook}\(", page, re.MULTILINE | re.DOTALL)
    assert {path.stem for path in by_hand()} == {
        name for name in vars(hookspecs) if name.startswith("coach_") and name not in hookspecs.DESCRIBE.values()
    }


def test_hooks_of_a_run_do_what_their_examples_say(hooks, tmp_path):
    names = [coachcore.register(ToyPlugin(), "toys")]
    names += [coachcore.register(module, name) for name, module in hooks.items()]
    try:
        with pytest.raises(CoachError, match="our runs have a summary"):
            coachcore.run(toy_preset(), out=tmp_path / "refused")
        outcome = coachcore.run(toy_preset(summary="toys"), out=tmp_path / "one")
        assert outcome.reason == "finished"
    finally:
        for name in names:
            coachcore.unregister(name)
    folder = outcome.folder
    assert (folder / "owner.txt").read_text() == "preset, seed 1: the robotics group\n"
    complete = (folder / "checkpoints" / "complete.txt").read_text().splitlines()
    assert complete[-1].startswith("preset step-")
    assert (tmp_path / "results.csv").read_text() == f"preset,1,{outcome.steps},{outcome.best},finished\n"


def test_the_example_of_coach_event_ends_a_hopeless_run(hooks):
    from coachcore.api import Event, RunInfo, StopRun

    info = RunInfo(preset="p", seed=0, environment="e", agent="a", total=100)
    event = hooks["coach_event"].coach_event
    assert event(run=info, event=Event("evaluation", 60, 1, 1, {"max": 1.0})) is None
    assert event(run=info, event=Event("evaluation", 40, 1, 1, {"max": 0.0})) is None
    with pytest.raises(StopRun, match="half the run is over"):
        event(run=info, event=Event("evaluation", 60, 1, 1, {"max": 0.0}))


def test_the_other_examples_answer_what_is_asked(hooks, tmp_path):
    from click.testing import CliRunner

    assert hooks["coach_presets"].coach_presets() == [Path.home() / "laboratory" / "presets"]
    (command,) = hooks["coach_commands"].coach_commands().values()
    assert isinstance(command, click.Command)
    assert CliRunner().invoke(command, [str(tmp_path)]).output == f"{tmp_path}: 0.0 MiB\n"
    (check,) = hooks["coach_doctor_checks"].coach_doctor_checks().values()
    assert isinstance(check(), str)


@pytest.mark.parametrize("kind", KINDS)
def test_the_part_to_begin_with_is_what_the_hook_hands_out(kind, monkeypatch):
    """The class that a kind's page prints, through the hook as its own page prints it."""
    pytest.importorskip("coach_author")
    page = (REFERENCE / f"{kind}.md").read_text("utf-8")
    source = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[-1]
    module = ModuleType(f"acme_{kind}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(source, f"{kind}.md", "exec"), vars(module))
    hook = hookspecs.DESCRIBE[kind]
    told = (REFERENCE / "hooks.md").read_text("utf-8").partition(f"\n## `{hook}`\n")[2]
    example = re.findall(r"^```python\n(.*?)^```$", told, re.MULTILINE | re.DOTALL)[1]
    space = {}
    exec(compile(example, f"hooks.md: {hook}", "exec"), space)
    (part,) = space[hook]()
    assert import_module("coachcore.component").spec_of(part).kind == kind
