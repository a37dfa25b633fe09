"""`sync`: manifests written from classes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from coach_author.sync import declared, sync
from coachcore.api import CoachError
from coachcore.testing.made_up import FILTER

PLUS = FILTER.format(name="plus", alias="PlusFilter", cls="Plus")
PROJECT = '[project]\nname = "acme"\nversion = "1.0"\n[project.entry-points."coach.filters"]\nplus = "acme:Plus"\n'


@pytest.fixture
def project(tmp_path: Path) -> Callable[[str, str], Path]:
    """A source folder as authors have it: `pyproject.toml` and ``src/acme``."""

    def write(toml: str = PROJECT, code: str = PLUS) -> Path:
        (tmp_path / "src" / "acme").mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / "acme" / "__init__.py").write_text(code)
        (tmp_path / "pyproject.toml").write_text(toml)
        return tmp_path

    return write


def test_the_manifest_is_written_and_then_in_step(project: Callable[..., Path]) -> None:
    folder = project()
    path = folder / "src" / "acme" / "coach_plugin.json"
    assert [(one.state, one.path) for one in sync(folder, write=False)] == [("out of step", path)]
    assert not path.exists()
    assert [one.state for one in sync(folder)] == ["written"]
    assert [one.state for one in sync(folder)] == ["in step"]
    data = json.loads(path.read_text())
    assert [(part["name"], part["aliases"]) for part in data["components"]] == [("plus", ["PlusFilter"])]
    assert "presets" not in data
    assert "hooks" not in data


def test_presets_and_hooks_are_told(project: Callable[..., Path]) -> None:
    toml = '[project]\nname = "acme"\n[project.entry-points."coach.plugins"]\nacme = "acme"\n'
    hooks = "from coachcore.api import hookimpl\n@hookimpl\ndef coach_presets():\n    return ()\n"
    folder = project(toml, hooks)
    (folder / "src" / "acme" / "presets").mkdir()
    sync(folder)
    data = json.loads((folder / "src" / "acme" / "coach_plugin.json").read_text())
    assert (data["presets"], data["hooks"], data["components"]) == ("presets", True, [])


def test_a_distribution_without_parts_needs_no_manifest(project: Callable[..., Path]) -> None:
    assert [one.state for one in sync(project('[project]\nname = "acme"\n'))] == ["nothing to write"]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise RuntimeError('no')", "acme: coach.filters: plus - RuntimeError: no (__init__.py:1)"),
        ("Plus = 1", "acme: coach.filters: plus - acme:Plus is not a class marked by @component"),
    ],
)
def test_nothing_is_written_where_a_part_cannot_be_read(project: Callable[..., Path], code: str, said: str) -> None:
    folder = project(code=code)
    with pytest.raises(CoachError) as caught:
        sync(folder)
    assert caught.value.lines == (said,)
    assert not (folder / "src" / "acme" / "coach_plugin.json").exists()


@pytest.mark.parametrize("toml", ["", "not toml", "[project]\n"])
def test_what_is_not_a_project_is_refused(project: Callable[..., Path], toml: str) -> None:
    with pytest.raises(CoachError, match=r"is not the pyproject.toml of a distribution"):
        declared(project(toml))


def test_a_folder_without_a_project_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CoachError, match=r"cannot be read: .* - give the folder of a distribution"):
        declared(tmp_path / "gone")


def test_a_package_from_elsewhere_is_not_written_to(project: Callable[..., Path]) -> None:
    with pytest.raises(CoachError, match="package 'json' is not in"):
        sync(project('[project]\nname = "acme"\n[project.entry-points."coach.plugins"]\nacme = "json"\n'))
