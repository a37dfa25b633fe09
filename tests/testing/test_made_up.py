"""Made-up distributions are what installed ones look like."""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import distribution, distributions
from pathlib import Path

import pytest

from coachcore.component import spec_of
from coachcore.testing.made_up import FILTER, made_up


def test_metadata_package_and_manifest_lie_where_an_installer_puts_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = FILTER.format(name="plus", alias="PlusFilter", cls="Plus")
    package = made_up(
        tmp_path, "made-up-here", points={"plus": "made_up_here:Plus"}, code=code, manifest="{}", version="2.1"
    )
    monkeypatch.syspath_prepend(tmp_path)
    found = distribution("made-up-here")
    assert found.version == "2.1"
    assert [(point.group, point.name) for point in found.entry_points] == [("coach.filters", "plus")]
    assert package == tmp_path / "made_up_here"
    assert (package / "coach_plugin.json").read_text() == "{}"
    part = importlib.import_module("made_up_here").Plus
    del sys.modules["made_up_here"]
    assert (spec_of(part).name, part().amount) == ("plus", 1.0)


def test_entry_points_and_files_as_given(tmp_path: Path) -> None:
    package = made_up(
        tmp_path, "acme", points="[coach.plugins]\nacme = acme\n", code={"__init__.py": "", "a.py": "x = 1\n"}
    )
    (found,) = distributions(path=[str(tmp_path)])
    assert [(point.group, point.value) for point in found.entry_points] == [("coach.plugins", "acme")]
    assert sorted(path.name for path in package.iterdir()) == ["__init__.py", "a.py"]
