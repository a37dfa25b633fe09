"""Presets by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from coachcore.api import hookimpl
from coachcore.errors import CoachError, UnknownName
from coachcore.registry.registry import Registry
from coachcore.registry.shelf import Shelf

Read = Callable[[], Registry]


def test_presets_by_name_and_a_clash_only_when_taken(tmp_path: Path, read: Read) -> None:
    for folder, names in (("one", ("pole", "car")), ("two", ("pole",))):
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / f"{name}.toml").write_text("coach = 1\n")

    class Shelves:
        @hookimpl
        def coach_presets(self) -> list[Path]:
            return [tmp_path / "one", tmp_path / "two"]

    registry = read()
    registry.register(Shelves())
    assert sorted(registry.presets()) == ["car", "pole"]
    assert len(registry.presets()) == 2
    assert registry.preset("car") == tmp_path / "one" / "car.toml"
    assert len(registry.presets().all("pole")) == 2
    with pytest.raises(CoachError, match=r"^pole: two presets have this name: .* - give the path of the one you mean"):
        registry.preset("pole")
    with pytest.raises(UnknownName, match="no installed preset is called 'cra' - did you mean 'car'"):
        registry.preset("cra")


def test_a_folder_named_twice_is_one_folder(tmp_path: Path) -> None:
    (tmp_path / "pole.toml").write_text("")
    (tmp_path / "notes.txt").write_text("")
    shelf = Shelf([tmp_path, tmp_path])
    assert dict(shelf) == {"pole": tmp_path / "pole.toml"}
    assert shelf.get("gone") is None
    assert shelf.all("gone") == ()
