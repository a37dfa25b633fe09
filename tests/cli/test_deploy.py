"""Runs that an orchestrator starts: what is handed over, what is printed, how they are seen and stopped."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest

import coachcore
from coachcore.cli.main import invoke
from coachcore.component import component, param
from coachcore.errors import CoachError
from coachcore.presets.writer import dump
from coachcore.registry.hookspecs import hookimpl
from coachcore.testing.toy_plugin import ToyPlugin, toy_preset


@component("orchestrator", "slips")
@attrs.frozen(kw_only=True)
class Slips:
    """Puts a slip of paper a worker into a drawer."""

    drawer: str = param(default="drawer", doc="folder of the slips")
    limit: int = param(default=9, ge=1, doc="workers it can have")

    def render(self, preset, workers):
        return {f"worker-{n}": f"coach run {preset} --seed {n}\n" for n in range(workers)}

    def deploy(self, preset, workers):
        if workers > self.limit:
            raise CoachError(f"quota exceeded: {workers} workers asked, {self.limit} allowed", where="the office")
        place = Path(self.drawer) / preset.stem
        place.mkdir(parents=True)
        for name, text in self.render(preset, workers).items():
            (place / name).write_text(text)
        return preset.stem

    def status(self, deployment):
        return dict.fromkeys((path.name for path in (Path(self.drawer) / deployment).glob("*")), "waiting")

    def undeploy(self, deployment):
        for path in (Path(self.drawer) / deployment).glob("*"):
            path.unlink()


class Plugin(ToyPlugin):
    @hookimpl
    def coach_orchestrators(self):
        return (Slips,)


@pytest.fixture(scope="module", autouse=True)
def toys():
    coachcore.register(Plugin(), "toys")
    yield
    coachcore.unregister("toys")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder with a preset of toys, and one that names an orchestrator."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "toy.toml").write_text(dump(toy_preset()))
    (tmp_path / "away.toml").write_text(dump(toy_preset(orchestrator={"use": "slips", "limit": 2})))
    return tmp_path


@pytest.fixture
def coach(capsys):
    def call(*arguments):
        capsys.readouterr()
        code = invoke([*map(str, arguments)])
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return code, said.out.splitlines(), said.err.splitlines()

    return call


def test_deployed_seen_and_stopped(coach, here):
    code, out, err = coach("run", "toy.toml", "--orchestrator", "slips", "--workers", 2, "--out", "d", "--seed", 5)
    assert (code, err) == (0, [])
    assert out == [
        "deployment: toy",
        f"see it: coach status {here / 'd'}",
        f"stop it: coach undeploy {here / 'd'}",
    ]
    assert (here / "drawer" / "toy" / "worker-1").read_text() == f"coach run {here / 'd' / 'toy.toml'} --seed 1\n"
    assert coach("status", "d") == (0, ["worker-0  waiting", "worker-1  waiting"], [])
    assert coach("undeploy", "d") == (0, ["toy: stopped"], [])
    assert coach("status", "d") == (0, ["nothing is running"], [])
    assert coach("undeploy", "d")[0] == 0  # of what is gone


def test_what_is_handed_over_is_the_resolved_preset_without_its_orchestrator(coach, here):
    assert coach("run", "away.toml", "--out", "d", "--set", "memory.capacity=77")[0] == 0
    handed = coachcore.load_preset(here / "d" / "away.toml")
    asked = coachcore.load_preset("away.toml", sets=["memory.capacity=77"])
    assert handed.resolved == {key: value for key, value in asked.resolved.items() if key != "orchestrator"}
    record = json.loads((here / "d" / "deployment.json").read_bytes())
    settings = {"use": "slips", "drawer": "drawer", "limit": 2}
    assert record == {"name": "away", "workers": 1, "orchestrator": settings}


def test_a_preset_of_its_own_folder_where_none_is_given(coach, here):
    assert coach("run", "away.toml")[0] == 0
    (folder,) = (here / "runs").iterdir()
    assert {path.name for path in folder.iterdir()} == {"away.toml", "deployment.json"}


def test_rendered_only(coach, here):
    code, out, _ = coach("run", "away.toml", "--render-only", "--workers", 2, "--out", "d")
    file = here / "d" / "away.toml"
    lines = [line for n in range(2) for line in (f"# worker-{n}", f"coach run {file} --seed {n}")]
    assert (code, out) == (0, lines)
    assert file.exists()  # the texts speak of it
    assert not (here / "drawer").exists()
    code, _, err = coach("status", "d")
    assert (code, err) == (2, ["coach: d: it is not a deployment: there is no sound deployment.json in it"])


def test_the_command_line_chooses_another_part_or_none(coach):
    code, _, err = coach("run", "away.toml", "--orchestrator", "slipz")
    said = "no orchestrator is called 'slipz' - did you mean 'slips'? known: slips"
    assert (code, err) == (2, [f'--set orchestrator.use="slipz" (column 18): {said}'])
    assert coach("run", "away.toml", "--set", "~orchestrator", "--out", "d")[1][-1] == "run folder: d"


def test_the_orchestrators_own_words(coach):
    code, _, err = coach("run", "away.toml", "--workers", 3, "--out", "d")
    assert (code, err) == (2, ["coach: the office: quota exceeded: 3 workers asked, 2 allowed"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["toy.toml", "--workers", 2], "--workers and --render-only are for an [orchestrator]: name one by"),
        (["toy.toml", "--render-only"], "--workers and --render-only are for an [orchestrator]: name one by"),
        (["--resume", "d", "--orchestrator", "slips"], "a resumed run keeps its settings"),
        (["--frozen", "d", "--orchestrator", "slips"], "give --out and nothing else beside --frozen"),
        (["--orchestrator", "slips"], "name a PRESET, or a run to --resume"),
        (["--resume", "d", "--workers", 2], "--workers and --render-only are for an [orchestrator]"),
    ],
)
def test_what_does_not_go_together(coach, arguments, said):
    code, _, err = coach("run", *arguments)
    assert code == 2
    assert said in " ".join(err)


def test_a_folder_that_is_taken_or_cannot_be_made(coach, here):
    (here / "d").mkdir()
    assert coach("run", "away.toml", "--out", "d")[2] == [f"coach: {here / 'd'}: cannot deploy from here: File exists"]


def test_a_record_that_is_no_record(coach, here):
    (here / "d").mkdir()
    for text in ("", "[]", "{}", '{"name": "toy"}'):
        (here / "d" / "deployment.json").write_text(text)
        assert coach("undeploy", "d")[0] == 2


def test_a_part_that_is_gone_is_said(coach, here):
    assert coach("run", "away.toml", "--out", "d")[0] == 0
    record = here / "d" / "deployment.json"
    record.write_text(record.read_text().replace("slips", "gone"))
    code, _, err = coach("status", "d")
    assert code == 2
    assert "no orchestrator is called 'gone'" in err[0]


def test_python_makes_the_run_here(here):
    """An [orchestrator] is for the command line."""
    outcome = coachcore.run("away.toml", out=here / "d")
    assert outcome.reason == "finished"
