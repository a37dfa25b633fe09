"""Entry points, read from metadata in one pass."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any
from zipfile import ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coachcore.registry.discover import Dist, Package, Point, canonical, discover, locator
from coachcore.testing.made_up import made_up


def test_only_coach_groups_are_read_and_comments_are_skipped(make: Callable[..., Path], tmp_path: Path) -> None:
    text = (
        "[console_scripts]\nacme = acme:main\n\n[coach.filters]\n# a remark\nplus = acme:Plus\nminus=acme.sub:Minus\n"
    )
    make("acme", points=text)
    points = (Point("coach.filters", "plus", "acme:Plus"), Point("coach.filters", "minus", "acme.sub:Minus"))
    assert discover([str(tmp_path)]) == (Dist("acme", "1.0", points),)


def test_distributions_come_by_name_and_those_without_coach_groups_are_left_out(
    make: Callable[..., Path], tmp_path: Path
) -> None:
    make("zeta", points={"z": "zeta:Z"})
    make("alpha", points={"a": "alpha:A"})
    make("other", points="[console_scripts]\nother = other:main\n")
    assert [dist.name for dist in discover([str(tmp_path)])] == ["alpha", "zeta"]


def test_the_first_on_the_path_is_the_installed_one(make: Callable[..., Path], tmp_path: Path) -> None:
    make("acme", points={"new": "acme:New"}, version="2.0")
    made_up(tmp_path / "later", "acme", points={"old": "acme:Old"})
    assert [dist.version for dist in discover([str(tmp_path), str(tmp_path / "later")])] == ["2.0"]


@pytest.mark.parametrize("damage", [b"\xff\xfe[coach.filters]", b"[coach.filters\nplus", b""])
def test_damaged_metadata_costs_nothing_else(make: Callable[..., Path], tmp_path: Path, damage: bytes) -> None:
    make("sound", points={"s": "sound:S"})
    make("hurt", points={"h": "hurt:H"})
    (tmp_path / "hurt-1.0.dist-info" / "entry_points.txt").write_bytes(damage)
    assert "sound" in [dist.name for dist in discover([str(tmp_path)])]


def test_a_distribution_without_a_name_is_left_out(make: Callable[..., Path], tmp_path: Path) -> None:
    make("acme", points={"a": "acme:A"})
    (tmp_path / "acme-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\n")
    assert discover([str(tmp_path)]) == ()


def test_names_are_compared_as_indexes_do() -> None:
    assert canonical("Acme_Coach.Filters") == "acme-coach-filters"


def test_packages_are_found_without_importing_them(make: Callable[..., Path], tmp_path: Path) -> None:
    folder = make("acme", points={"a": "acme:A"}, code="raise RuntimeError('imported')")
    (tmp_path / "single.py").write_text("")
    locate = locator([str(tmp_path)])
    assert locate("acme") == Package(folder)
    assert locate("single") == Package(None)
    assert locate("absent") is None


def test_a_module_put_there_by_hand_counts_as_found(monkeypatch: pytest.MonkeyPatch) -> None:
    orphan = ModuleType("orphan_of_a_notebook")
    orphan.__spec__ = None
    monkeypatch.setitem(sys.modules, orphan.__name__, orphan)
    assert locator()(orphan.__name__) == Package(None)


def slowly(paths: Sequence[str] | None = None) -> tuple[Dist, ...]:
    """What `discover` answers, asked of the standard library alone."""
    found: dict[str, Dist] = {}
    for dist in importlib.metadata.distributions() if paths is None else importlib.metadata.distributions(path=paths):
        try:
            points = tuple(Point(p.group, p.name, p.value) for p in dist.entry_points if p.group.startswith("coach."))
            name, version = (dist.metadata.get(key) for key in ("Name", "Version"))
        except (UnicodeDecodeError, IsADirectoryError, NotADirectoryError):
            continue
        if points and name:
            found.setdefault(canonical(name.strip()), Dist(name.strip(), (version or "?").strip(), points))
    return tuple(found[name] for name in sorted(found))


def test_this_environment_editable_installs_and_all() -> None:
    assert discover() == slowly()
    assert discover(sys.path) == slowly(sys.path)


HEADS = (
    "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
    "metadata-version: 2.1\r\nname:{name}\r\nVERSION: \t{version}  \r\n\r\nName: of the text\r\n",
    "Metadata-Version: 2.1\nVersion: {version}\nSummary: over\n    two lines\nName: {name}\nName: no\n\nVersion: no\n",
    "Name: {name}\n\nVersion: of the text\n",
    "Version: {version}\n",
    "",
)
POINTS = (
    "[coach.filters]\nplus = {name}:Plus\n\n[console_scripts]\nx = {name}:main\n",
    "# a remark\r\n[coach.agents]\r\na={name}.b:C\r\n\r\n[coach.plugins]\r\nhooks = {name}\r\n",
    "[console_scripts]\nx = {name}:main\n",
    "",
)


def written(folder: Path, form: str, texts: dict[str, bytes]) -> str:
    """A distribution in one of the forms that installers leave behind; returns what goes on the path."""
    stem = texts["stem"].decode()
    names = {"info": f"{stem}.dist-info", "egg-info": f"{stem}.egg-info", "egg": f"{stem}.egg/EGG-INFO"}
    place = folder / names.get(form, f"{stem}.dist-info")
    head = "METADATA" if place.suffix == ".dist-info" else "PKG-INFO"
    files = {head: texts["head"], "entry_points.txt": texts["points"]}
    if form == "zip":
        with ZipFile(folder / f"{stem}.zip", "w") as archive:
            for name, content in files.items():
                archive.writestr(f"{place.name}/{name}", content)
        return str(folder / f"{stem}.zip")
    if form == "file":  # as distutils left them
        (folder / f"{stem}.egg-info").write_bytes(files[head])
        return str(folder)
    if form == "folders":
        (place / head).mkdir(parents=True, exist_ok=True)
        (place / "entry_points.txt").mkdir(exist_ok=True)
        return str(folder)
    place.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        if not (place / name).is_dir():
            (place / name).write_bytes(content)
    return str(place.parent if form == "egg" else folder)


FORMS = ("info", "info", "info", "egg-info", "egg", "zip", "file", "folders")
DISTS = st.tuples(
    st.sampled_from(["acme", "Acme.Coach", "zeta_coach"]),
    st.sampled_from(["1.0", "2.0"]),
    st.sampled_from(FORMS),
    st.sampled_from([*(text.encode() for text in HEADS), b"Name: \xff\n"]),
    st.sampled_from([*(text.encode() for text in POINTS), b"[coach.filters]\n\xff = a:B\n"]),
    st.integers(0, 2),  # which folder it lies in
)


@settings(max_examples=60, deadline=None)
@given(st.lists(DISTS, max_size=6), st.data())
def test_whatever_lies_on_the_path_the_answer_is_the_standard_librarys(dists: list[Any], data: st.DataObject) -> None:
    with TemporaryDirectory() as place:
        paths = [f"{place}/absent", f"{place}/file", f"{place}/0", f"{place}/1", f"{place}/2"]
        for number in range(3):
            Path(place, str(number)).mkdir()
        Path(place, "file").write_text("not a folder", encoding="utf-8")
        for name, version, form, head, points, folder in dists:
            stem = f"{name}-{version}".encode()
            filled = [
                text.replace(b"{name}", name.encode())
                for text in (head.replace(b"{version}", version.encode()), points)
            ]
            texts = {"stem": stem, "head": filled[0], "points": filled[1]}
            paths.append(written(Path(place, str(folder)), form, texts))
        paths = data.draw(st.permutations(paths))
        assert discover(paths) == slowly(paths)


def test_an_empty_entry_is_the_working_directory(
    make: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make("acme", points={"a": "acme:A"})
    monkeypatch.chdir(tmp_path)
    assert [dist.name for dist in discover([""])] == ["acme"]
    assert discover([""]) == slowly([""])


def test_a_path_that_cannot_be_one_is_passed_over(make: Callable[..., Path], tmp_path: Path) -> None:
    make("acme", points={"a": "acme:A"})
    assert [dist.name for dist in discover(["no\0path", str(tmp_path)])] == ["acme"]


def test_where_somebody_else_finds_distributions_they_are_asked(
    make: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make("acme", points={"a": "acme:A"})

    class Foreign(importlib.metadata.Distribution):
        def read_text(self, filename: str) -> str | None:
            texts = {
                "METADATA": "Name: foreign\nVersion: 3\n\n",
                "entry_points.txt": "[coach.filters]\nf = foreign:F\n",
            }
            return texts.get(filename)

        def locate_file(self, path: str | os.PathLike[str]) -> Any:
            return path

    class Finder:
        find_spec = find_distributions = staticmethod(lambda *_: [])

    finder = Finder()
    finder.find_distributions = lambda _context: [Foreign()]  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "meta_path", [finder, PathFinder])
    paths = [str(tmp_path)]
    assert [dist.name for dist in discover(paths)] == ["acme", "foreign"]
    assert discover(paths) == slowly(paths)


def test_plain_folders_are_read_without_the_standard_librarys_reader(
    make: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make("acme", points={"a": "acme:A"})
    monkeypatch.setattr(importlib.metadata, "distributions", None)
    assert [dist.name for dist in discover([str(tmp_path)])] == ["acme"]
