"""`coach plugin sync`: several paths, nothing half done, and a check for continuous integration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from coachcore.cli.main import invoke
from coachcore.testing.made_up import FILTER

PLUS = FILTER.format(name="plus", alias="PlusFilter", cls="Plus")


@pytest.fixture
def project(tmp_path: Path) -> Callable[..., Path]:
    def write(name: str, code: str = PLUS) -> Path:
        folder = tmp_path / name
        (folder / "src" / name).mkdir(parents=True)
        (folder / "src" / name / "__init__.py").write_text(code)
        toml = f'[project]\nname = "{name}"\n[project.entry-points."coach.filters"]\nplus = "{name}:Plus"\n'
        (folder / "pyproject.toml").write_text(toml)
        return folder

    return write


def test_several_folders_and_a_file_among_them(
    project: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = project("one"), project("two")
    (tmp_path / "README.md").write_text("")
    paths = [str(one), str(tmp_path / "README.md"), str(two)]
    assert invoke(["plugin", "sync", "--check", *paths]) == 1
    assert capsys.readouterr().out == "one  out of step; not installed here\ntwo  out of step; not installed here\n"
    assert invoke(["plugin", "sync", *paths]) == 0
    assert (two / "src" / "two" / "coach_plugin.json").is_file()
    capsys.readouterr()
    assert invoke(["plugin", "sync", "--check", *paths]) == 0
    assert capsys.readouterr().out == "one  in step; not installed here\ntwo  in step; not installed here\n"


def test_the_current_folder_is_the_default(
    project: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project("one"))
    assert invoke(["plugin", "sync"]) == 0
    assert capsys.readouterr().out == "one  written; not installed here\n"


def test_one_broken_distribution_does_not_keep_the_others(
    project: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    hurt, sound = project("hurt", "raise OSError('disk')"), project("sound")
    assert invoke(["plugin", "sync", str(hurt), str(tmp_path / "empty"), str(sound)]) == 2
    said = capsys.readouterr()
    assert said.out == "sound  written; not installed here\n"
    lines = said.err.splitlines()
    assert lines[0] == "hurt: coach.filters: plus - OSError: disk (__init__.py:1)"
    assert lines[1].endswith(
        "pyproject.toml: cannot be read: No such file or directory - give the folder of a distribution"
    )
    assert len(lines) == 2
