"""Entry points, read from metadata in one pass."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from coachcore.registry.discover import Dist, Package, Point, canonical, discover, locator


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
    from coachcore.testing.made_up import made_up

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
