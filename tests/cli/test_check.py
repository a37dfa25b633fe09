"""`coach check`: exit codes, what it prints, and what it costs to import."""

from __future__ import annotations

import json
from pathlib import Path
from runpy import run_path

import pytest
from click.testing import CliRunner, Result

from coachcore.cli.check import check

TOYS = run_path(str(Path(__file__).parents[1] / "presets" / "toys.py"))


@pytest.fixture(autouse=True)
def made_up_parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    registry = TOYS["registry"]()
    monkeypatch.setattr("coachcore.registry.registry.current", lambda: registry)
    monkeypatch.chdir(tmp_path)


def call(*arguments: str) -> Result:
    return CliRunner().invoke(check, arguments)


def test_no_errors() -> None:
    result = call("track-chooser")
    assert (result.exit_code, result.stdout) == (0, "track-chooser: no errors - chooser on short for 5_000 steps\n")


def test_all_errors_and_exit_code_two(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('coach = 1\nextends = "track-chooser"\nmemory.capcity = 1\nagent.double = 1\n')
    result = call("mine.toml", "--set", "agent.discount=2")
    assert result.exit_code == 2
    assert result.stdout.splitlines() == [
        (
            "mine.toml:3:8: memory 'replay' has no setting 'capcity' - did you mean 'capacity'? "
            "known: age, capacity, split"
        ),
        "mine.toml:4:16: double: expected true or false, got 1 - write true",
        "--set agent.discount=2 (column 16): discount: 2 is out of range - must be >= 0 and <= 1",
    ]


def test_layers_and_notices(tmp_path: Path) -> None:
    (tmp_path / "over.toml").write_text('environment.id = "long"\n')
    result = call("track-chooser", "--with", "over.toml", "--set", "exploration.use=greedy")
    assert result.exit_code == 0
    assert "chooser on long" in result.stdout
    assert result.stderr == "note: exploration.use: e-greedy -> greedy drops epsilon, evaluation\n"


def test_json(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('coach = 1\nextends = "track-chooser"\nsead = 1\n')
    result = call("mine.toml", "--format", "json")
    (problem,) = json.loads(result.stdout)["problems"]
    assert result.exit_code == 2
    assert (problem["file"], problem["line"], problem["column"]) == ("mine.toml", 3, 1)
    assert problem["message"].startswith("a preset has no setting 'sead' - did you mean 'seed'?")
    assert json.loads(call("track-chooser", "--format", "json").stdout) == {"preset": "track-chooser", "problems": []}


def test_several_presets_are_each_checked(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('coach = 1\nextends = "track-chooser"\nsead = 1\n')
    result = call("mine.toml", "track-chooser", "track-choser")
    wrong, sound, missing = result.stdout.splitlines()
    assert result.exit_code == 2
    assert wrong.startswith("mine.toml:3:1: a preset has no setting 'sead'")
    assert sound == "track-chooser: no errors - chooser on short for 5_000 steps"
    assert missing.startswith("track-choser: there is no preset 'track-choser'")
    assert call("track-chooser", "track-chooser").exit_code == 0


def test_what_is_laid_over_several_presets_counts_for_each() -> None:
    result = call("track-chooser", "track-chooser", "--set", "agent.discount=2")
    assert result.exit_code == 2
    assert result.stdout.count("discount: 2 is out of range") == 2


def test_json_of_several_is_a_list(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('coach = 1\nextends = "track-chooser"\nsead = 1\n')
    result = call("track-chooser", "mine.toml", "--format", "json")
    told = json.loads(result.stdout)
    assert result.exit_code == 2
    assert [(each["preset"], len(each["problems"])) for each in told] == [("track-chooser", 0), ("mine.toml", 1)]


def test_no_preset_is_a_wrong_call() -> None:
    result = call()
    assert result.exit_code == 2
    assert "Missing argument 'PRESET...'" in result.stderr


def test_a_preset_that_is_not_there() -> None:
    result = call("track-choser")
    assert result.exit_code == 2
    assert result.stdout.startswith("track-choser: there is no preset 'track-choser' - did you mean 'track-chooser'?")


def test_help_reads_in_eighty_columns() -> None:
    result = CliRunner().invoke(check, ["--help"], terminal_width=80)
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
