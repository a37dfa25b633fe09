"""Hostile distributions cost whoever does not use them a line at most, and `coach doctor` names each."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from coachcore.registry.discover import discover

from .conftest import HOSTILE

Coach = Callable[..., subprocess.CompletedProcess[str]]
LIMIT = 6
OTHERS = [dist.name for dist in discover()]
"""What is installed beside the gallery."""
with_preset_tools = pytest.mark.skipif("coach-preset-tools" not in OTHERS, reason="coach-preset-tools is not installed")


def test_the_gallery_holds_every_kind_of_fault_asked_for() -> None:
    wanted = "import-error syntax-error exit hard-exit signal hang recursion odd-exception prints environment"
    wanted += " bad-manifest clash too-new needs"
    assert {f"acme-{name}" for name in wanted.split()} <= HOSTILE.keys()
    assert [name for name, told in HOSTILE.items() if not told.get("fault") and not told.get("remark")] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("list-plugins",),
        ("list-plugins", "--json"),
        ("list-plugins", "--broken"),
        ("presets",),
        ("check", "SITE/toy.toml"),
        pytest.param(("config", "SITE/toy.toml"), marks=with_preset_tools),
        pytest.param(("config", "SITE/toy.toml", "--explain"), marks=with_preset_tools),
        ("describe", "filter/gallery-sound"),
        ("why", "gallery-sound"),
        ("run", "SITE/toy.toml", "--out", "run"),
        ("--help",),
        ("--version",),
        ("completion", "bash"),
    ],
    ids=" ".join,
)
def test_who_does_not_use_them_pays_a_line_at_most(coach: Coach, site: Path, arguments: tuple[str, ...]) -> None:
    said = coach(*(text.replace("SITE", str(site)) for text in arguments))
    assert (said.returncode, said.stderr.count("Traceback")) == (0, 0), said.stderr
    assert "NOISE" not in said.stdout + said.stderr
    named = [name for name in HOSTILE if said.stderr.count(f"{name} ") + said.stderr.count(f"{name},") > 1]
    assert named == []
    assert len(said.stderr.splitlines()) <= 1, said.stderr
    if arguments[0] not in ("list-plugins", "config"):
        lines = said.stdout.splitlines()
        assert [line for line in lines if any(name in line for name in HOSTILE)] == []


def test_each_is_listed_in_one_line_with_its_state(coach: Coach) -> None:
    lines = coach("list-plugins").stdout.splitlines()
    for name, told in HOSTILE.items():
        mine = [line for line in lines if f"  {name} 1.0" in line]
        assert len(mine) == (0 if name in ("acme-hooks", "acme-unknown-group") else 1), name
        assert told.get("listed", "") in "".join(mine)


def test_who_uses_one_is_told_in_a_line(coach: Coach, site: Path) -> None:
    for name in ("acme-exit", "acme-needs", "acme-too-new", "acme-clash"):
        use = f'filters.reward=[{{ use = "{name.replace("acme", "gallery")}" }}]'
        said = coach("run", str(site / "toy.toml"), "--out", "run", "--set", use)
        assert (said.returncode, said.stdout) == (2, "")
        assert len(said.stderr.splitlines()) == 1, said.stderr
        assert name in said.stderr


def test_doctor_names_each_with_its_cause_and_the_way_out(coach: Coach) -> None:
    said = coach(*(word for name in OTHERS for word in ("--block", name)), "doctor", "--limit", str(LIMIT))
    assert said.returncode == 1
    assert said.stderr == ""
    reports: dict[str, list[str]] = {}
    for line in said.stdout.splitlines():
        if line.startswith(("ok ", "BROKEN ")):
            state, dist, _ = line.split()
            reports[dist] = mine = [state]
        elif line.startswith("        "):
            mine.append(line.strip())
    assert reports["acme-sound"] == ["ok"]
    for name, told in HOSTILE.items():
        state, *lines = reports[name]
        if "fault" in told:
            assert state == "BROKEN", name
            assert told["fault"] in lines[0], name
            assert [line for line in lines if line.startswith("way out: ") and f"--block {name} " in line], name
        if "remark" in told:
            assert [line for line in lines if told["remark"] in line], name


def test_a_clash_is_settled_by_a_word_and_the_answer_is_always_the_same(
    coach: Coach, site: Path, tmp_path: Path
) -> None:
    use = 'filters.reward=[{ use = "gallery-clash" }]'
    answers = set()
    for seed in ("0", "1", "2", "3"):
        said = coach("--prefer", "acme-clash-too", "why", "gallery-clash", PYTHONHASHSEED=seed)
        answers.add((said.returncode, said.stdout.splitlines()[0], said.stderr))
    first = "filter 'gallery-clash' means acme-clash-too/filter:gallery-clash, preferred by --prefer"
    assert answers == {(0, first, "")}
    arguments = ("run", str(site / "toy.toml"), "--out", "run", "--set", use)
    said = coach("--prefer", "acme-clash-too", *arguments)
    assert said.returncode == 0, said.stderr
    written = (tmp_path / "run" / "preset.toml").read_text()
    assert 'use = "acme-clash-too/filter:gallery-clash"' in written  # a resumed run does not ask again
    assert coach("run", "--resume", "run").returncode == 0


def test_a_blocked_distribution_is_as_if_it_were_not_there(coach: Coach, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    words = ", ".join(f'"{name}"' for name in [*HOSTILE, *OTHERS])
    config.write_text(f"[plugins]\nblock = [{words}]\n")
    said = coach("list-plugins", "--json", COACH_CONFIG=str(config))
    parts = {part["dist"]: part for part in json.loads(said.stdout)["parts"]}
    assert {parts[name]["state"] for name in HOSTILE if name in parts} == {"disabled"}
    assert parts["acme-exit"]["problem"].startswith(f"blocked by {config}:2:")
    assert [trouble for trouble in json.loads(said.stdout)["troubles"] if trouble["dist"] in HOSTILE] == []
    said = coach("doctor", COACH_CONFIG=str(config))
    assert (said.returncode, said.stdout.count("BROKEN")) == (0, 0)
    assert "remark: gallery-hang: blocked, not tried" in said.stdout


def test_a_bad_configuration_is_one_line(coach: Coach, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[plugins]\nblok = []\n")
    said = coach("list-plugins", COACH_CONFIG=str(config))
    assert (said.returncode, said.stdout) == (2, "")
    assert (
        said.stderr
        == f"coach: {config}:2:1: [plugins] has no setting 'blok' - did you mean 'block'? known: block, prefer\n"
    )
