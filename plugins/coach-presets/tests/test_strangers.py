"""A stranger's proof: the plugins in examples/, written with public names alone, installed from wheels and used.

Wheels of the core, of the plugins that the examples need and of every example
are built and installed into an environment of its own, nothing editable. There
``coach`` lists, checks and runs presets that name all of them. Only TensorFlow,
and what belongs to it, is lent by the environment that the tests run in: half a
gigabyte is not copied for this.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

import pytest

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = sorted(path.parent for path in ROOT.glob("examples/*/pyproject.toml"))
PATIENCE = 120.0  # seconds that anything may take on a busy machine
PARTS = {
    ("agent", "risk-q"): "acme-risk",
    ("environment", "cliff"): "acme-cliff",
    ("exploration", "ez-greedy"): "acme-persistence",
    ("filter", "symlog"): "acme-symlog",
    ("head", "value-gaussians"): "acme-risk",
    ("memory", "stratified-replay"): "acme-strata",
    ("orchestrator", "detached"): "acme-detached",
    ("recorder", "markdown"): "acme-summary",
    ("store", "sqlite"): "acme-sqlite",
}
EVERYTHING = """
coach = 1
extends = "acme-windy-cliff"

[orchestrator]
use = "detached"
first_seed = 3

[schedule]
train = "10_000_000 steps"
"""
MIRROR = """
import sys
from pathlib import Path
from acme_sqlite import Sqlite

store = Sqlite(file=sys.argv[1])
for name in store.names(sys.argv[2] + "/"):
    path = Path(sys.argv[3], name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(store.get(name))
"""


def project(folder):
    return tomllib.loads((folder / "pyproject.toml").read_text())["project"]


def needs(folder):
    """The distributions that one depends on."""
    return {re.split(r"[^A-Za-z0-9._-]", text, maxsplit=1)[0] for text in project(folder)["dependencies"]}


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)
def test_an_example_knows_public_names_only(folder):
    """`coachcore.api`, what it declares, and in its tests the kit and the front door."""
    own = folder.name.replace("-", "_")
    allowed = {
        own,
        *(name.replace("-", "_") for name in needs(folder) - {"coachcore"}),
        "attrs",
    } | sys.stdlib_module_names
    for path in sorted(folder.rglob("*.py")):
        core = {"coachcore.api"} if "src" in path.parts else {"coachcore.api", "coachcore", "coachcore.testing"}
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                public = ".".join(name.split(".")[:2]) if ".testing" in name else name
                tools = {"pytest"} if "tests" in path.parts else set()
                assert public in core or name.partition(".")[0] in allowed | tools, f"{path}: {name}"
                assert "._" not in name


def called(*command, cwd, **variables):
    """Exit code and all that a command said."""
    hidden = ("PYTHONPATH", "VIRTUAL_ENV", "ACME_STOP_AFTER")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment | {"UV_COMPILE_BYTECODE": "0", "OMP_NUM_THREADS": "1", "COLUMNS": "100"} | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def missing(why):
    """Skip, saying why; where the tests are run for all of us, it must not be missing."""
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)


class Fresh:
    """A folder with wheels, an environment that they are installed in, and a place to work."""

    def __init__(self, folder):
        self.wheels, self.sources = folder / "wheels", folder / "sources"
        self.venv, self.work = folder / "venv", folder / "work"
        self.work.mkdir()
        self.packages = None

    def coach(self, *arguments, code=0, **variables):
        """What `coach ARGUMENTS` says, run in the place to work."""
        found, said = called(self.venv / "bin" / "coach", *arguments, cwd=self.work, **variables)
        assert (found, "Traceback" in said) == (code, False), said
        return said

    def python(self, *arguments, cwd=None):
        code, said = called(self.venv / "bin" / "python", *arguments, cwd=cwd or self.work)
        assert code == 0, said
        return said

    def install(self, *what):
        """From the cache, else from the network."""
        where = ("--python", self.venv / "bin" / "python", "-c", ROOT / "constraints.txt")
        for network in (("--offline",), ()):
            code, said = called("uv", "pip", "install", "-q", *network, *where, *what, cwd=self.work)
            if code == 0:
                return
        missing(f"neither uv's cache nor the network has what the plugins need: {said}")


def built(sources, into):
    for source in sources:
        code, said = called("uv", "build", "--wheel", "-q", "-o", into, source, cwd=into.parent)
        assert code == 0, said


def ours(examples):
    """The folders of the plugins of this house that are needed, those that they need included."""
    found, waiting = {}, {name for folder in examples for name in needs(folder)} | {"coach-author", "coach-tensorflow"}
    while waiting:
        name = waiting.pop()
        folder = ROOT / "plugins" / name
        if folder.is_dir() and name not in found:
            found[name] = folder
            waiting |= needs(folder)
    return found


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """The environment, all but the engine for networks installed."""
    if shutil.which("uv") is None:
        missing("uv is not installed: it builds the wheels and makes the environment")
    made = Fresh(tmp_path_factory.mktemp("stranger"))
    shutil.copytree(ROOT / "examples", made.sources)
    plugins = ours(EXAMPLES)
    built([ROOT, *plugins.values(), *(made.sources / folder.name for folder in EXAMPLES)], made.wheels)
    code, said = called("uv", "venv", "-q", "-p", sys.executable, made.venv, cwd=made.work)
    assert code == 0, said
    made.packages = next((made.venv / "lib").glob("python*")) / "site-packages"
    engine = list(made.wheels.glob("coach_tensorflow-*.whl"))
    made.install("pytest", "hypothesis", *sorted(set(made.wheels.glob("*.whl")) - set(engine)))
    return made


@pytest.fixture(scope="module")
def lent(fresh):
    """The same with `coach-tensorflow`, whose backend is this environment's, linked package by package."""
    if find_spec("tensorflow") is None:
        missing("TensorFlow is not installed here, so it cannot be lent")
    home = Path(find_spec("tensorflow").origin).parents[1]
    shelf = fresh.venv / "lent"
    shelf.mkdir()
    for path in home.iterdir():
        foreign = not path.name.startswith(("coach", "__editable__", "_coach", "__pycache__")) and path.suffix != ".pth"
        if foreign and not (fresh.packages / path.name).exists():
            (shelf / path.name).symlink_to(path)
    (fresh.packages / "lent.pth").write_text(f"{shelf}\n")
    fresh.install("--no-deps", *fresh.wheels.glob("coach_tensorflow-*.whl"))
    return fresh


def listed(fresh):
    return {(part["kind"], part["name"]): part for part in json.loads(fresh.coach("list-plugins", "--json"))["parts"]}


def events(run):
    return [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]


def published(fresh, run):
    """What lies in the store under the run's name, as a run folder of its own."""
    place = fresh.work / f"from-the-store-{run.name}"
    fresh.python("-c", MIRROR, fresh.work / "published.sqlite", run.name, place)
    return place / run.name


@pytest.mark.slow
def test_nothing_is_editable_and_everything_is_listed(fresh):
    assert not list(fresh.packages.glob("*coach*.pth"))
    names = ("acme_cliff", "coach_toys", "coachcore")
    code = "; ".join(f"import {name}; print({name}.__file__)" for name in names)
    assert fresh.python("-c", code).count(str(fresh.packages)) == 3
    parts = listed(fresh)
    assert {key: (parts[key]["dist"], parts[key]["version"], parts[key]["state"]) for key in PARTS} == {
        key: (dist, "0.1.0", "ok") for key, dist in PARTS.items()
    }
    assert {"acme-cliff", "acme-windy-cliff"} <= set(re.findall(r"^\S+", fresh.coach("presets"), re.MULTILINE))


@pytest.mark.slow
def test_manifests_are_what_the_classes_say(fresh):
    folders = [fresh.sources / folder.name for folder in EXAMPLES]
    said = fresh.coach("plugin", "sync", "--check", *folders)
    assert said.count("in step") == len(EXAMPLES)


@pytest.mark.slow
def test_a_run_of_all_that_needs_no_network(fresh):
    assert fresh.coach("check", "acme-cliff") == "acme-cliff: no errors - linear-q on cliff for 3_000 steps\n"
    said = fresh.coach("run", "acme-cliff", "--out", "plain")
    assert said.startswith("finished after 3000 steps")
    run = fresh.work / "plain"
    goal = tomllib.loads((run / "preset.toml").read_text())["validation"]["reward"]
    means = [event["data"]["mean"] for event in events(run) if event["kind"] == "evaluation"]
    assert max(means) >= goal
    page = (run / "summary.md").read_text()
    assert "Agent `linear-q` in `cliff`: finished after 3000 steps." in page
    assert page.count("best so far") >= 1
    there = published(fresh, run)
    scores = [json.loads(fresh.coach("evaluate", where, "--episodes", "5", "--json")) for where in (run, there)]
    assert scores[0] == scores[1]
    assert scores[0]["mean"] >= goal
    parts = json.loads((run / "lock.json").read_text())["parts"]
    assert parts["memory"] == "acme-strata/memory:stratified-replay"
    assert parts["store"] == "acme-sqlite/store:sqlite"


@pytest.mark.slow
def test_the_clock_of_the_hook_plugin_stops_a_run(fresh):
    said = fresh.coach("run", "acme-cliff", "--out", "short", ACME_STOP_AFTER="0")
    assert said.startswith("ACME_STOP_AFTER = 0 seconds are over after ")
    assert events(fresh.work / "short")[-1]["kind"] != "run-end"
    assert fresh.coach("run", "--resume", "short").startswith("finished after 3000 steps")  # nothing was lost
    whole, resumed = ([{**event, "at": ""} for event in events(fresh.work / name)] for name in ("plain", "short"))
    assert resumed == whole


@pytest.mark.slow
def test_all_of_them_by_name_in_one_preset(lent):
    (lent.work / "everything.toml").write_text(EVERYTHING)
    assert lent.coach("check", "everything.toml").startswith("everything.toml: no errors - risk-q on cliff")
    parts = listed(lent)
    assert {parts[key]["state"] for key in PARTS} == {"ok"}
    shown = lent.coach("run", "everything.toml", "--workers", "2", "--render-only", "--out", "shown")
    assert shown.count("-m coachcore run") == 2
    lent.coach("run", "everything.toml", "--workers", "2", "--out", "away")
    try:
        runs = [lent.work / "away" / "everything-workers" / f"worker-{number}.run" for number in range(2)]
        wait(lambda: all((run / "checkpoints" / "best").exists() for run in runs), lent)
        assert lent.coach("status", "away").count("running, process") == 2
        assert lent.coach("stop", runs[0], "--reason", "seen enough") == "asked: 1\n"
        wait(lambda: "worker-0  ended" in lent.coach("status", "away"), lent)
        assert lent.coach("status", "away").count("running, process") == 1
    finally:
        lent.coach("undeploy", "away")
    assert lent.coach("status", "away") == "nothing is running\n"
    logs = [run.with_suffix(".log").read_text() for run in runs]
    assert logs[0].startswith("seen enough after ")
    assert "saved; go on with: coach run --resume" in logs[1]  # what SIGTERM does
    for run, seed in zip(runs, (3, 4), strict=True):
        assert events(run)[0]["data"]["seed"] == seed
        assert f"everything, seed {seed}" in (run / "summary.md").read_text()
        parts = json.loads((run / "lock.json").read_text())["parts"]
        assert parts["agent"] == "acme-risk/agent:risk-q"
        assert parts["agent.network.heads.gaussians"] == "acme-risk/head:value-gaussians"
        assert parts["exploration"] == "acme-persistence/exploration:ez-greedy"
        assert (published(lent, run) / "checkpoints" / "best").exists()


def wait(reached, fresh):
    """Until it is so; each look is a command, so nothing spins."""
    until = monotonic() + PATIENCE
    while not reached():
        assert monotonic() < until, fresh.coach("status", "away")


@pytest.mark.slow
def test_the_agent_with_its_head_learns(lent):
    lent.coach("run", "acme-windy-cliff", "--out", "windy", "--set", "schedule.target=-12")
    outcome, goal = events(lent.work / "windy")[-1]["data"], -15
    assert outcome["reason"] == "target reached"
    assert tomllib.loads((lent.work / "windy" / "preset.toml").read_text())["validation"]["reward"] == goal
    assert json.loads(lent.coach("evaluate", "windy", "--json"))["mean"] >= goal


@pytest.mark.slow
def test_their_own_tests_and_the_laws_of_their_kinds(lent):
    """All in one process; TensorFlow is imported once."""
    folders = [lent.sources / folder.name for folder in EXAMPLES]
    command = ("-m", "pytest", "-v", "-p", "no:cacheprovider", "--import-mode=importlib", "--coach-conformance")
    said = lent.python(*command, "--rootdir", lent.sources, *folders, cwd=lent.sources)
    assert re.search(r"^=* \d{3} passed in ", said, re.MULTILINE), said[-500:]
    assert [key for key in PARTS if f"::{':'.join(key)}::" not in said] == []
