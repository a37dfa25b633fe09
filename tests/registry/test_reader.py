"""What the reader of entry points makes of sound and of faulty distributions, importing none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from coachcore.registry.registry import Registry

Make, Read = Callable[..., Path], Callable[[], Registry]
EXPLODES = "raise RuntimeError('listing imported a plugin')"


def manifest(dist: str = "acme", api: str = "1.0", **part: object) -> str:
    spec = {
        "kind": "filter",
        "name": "plus",
        "object": "acme:Plus",
        "params": [{"name": "amount", "type": "float"}],
    } | part
    return json.dumps({"manifest": 1, "api": api, "dist": dist, "components": [spec]})


def test_a_described_part_is_listed_without_importing_it(make: Make, read: Read) -> None:
    make("acme", points={"plus": "acme:Plus"}, code=EXPLODES, manifest=manifest(summary="Adds."))
    (entry,) = read().entries()
    assert (entry.id, entry.version, entry.state, entry.problem) == ("acme/filter:plus", "1.0", "ok", "")
    assert entry.spec.summary == "Adds."
    assert [param.name for param in entry.spec.params or ()] == ["amount"]


def test_a_part_without_a_manifest_is_listed_from_its_entry_point(make: Make, read: Read) -> None:
    make("acme", points={"plus": "acme:Plus"}, code=EXPLODES)
    (entry,) = read().entries("filter")
    assert (entry.spec.name, entry.spec.params, entry.state) == ("plus", None, "ok")
    assert read().troubles() == ()


@pytest.mark.parametrize("text", ["{", "[]", manifest(kind="filtre"), json.dumps({"manifest": 7})])
def test_a_bad_manifest_costs_one_line(make: Make, read: Read, text: str) -> None:
    make("acme", points={"plus": "acme:Plus"}, manifest=text)
    make("sound", points={"minus": "sound:Minus"})
    registry = read()
    assert [(entry.id, entry.state) for entry in registry.entries()] == [
        ("sound/filter:minus", "ok"),
        ("acme/filter:plus", "ok"),
    ]
    (trouble,) = registry.troubles()
    assert trouble.dist == "acme"
    assert trouble.text.startswith("coach_plugin.json: ")


def test_a_manifest_of_another_distribution_is_not_believed(make: Make, read: Read) -> None:
    make("acme", points={"plus": "acme:Plus"}, manifest=manifest(dist="other"))
    registry = read()
    assert registry.entries()[0].spec.params is None
    assert "written for 'other'" in registry.troubles()[0].text


def test_entry_points_decide_what_exists(make: Make, read: Read) -> None:
    make("acme", points={"minus": "acme:Minus"}, manifest=manifest())
    registry = read()
    assert [entry.spec.name for entry in registry.entries()] == ["minus"]
    assert sorted(trouble.text for trouble in registry.troubles()) == [
        "coach_plugin.json: filter 'minus' is an entry point but not here - run `coach plugin sync`",
        "coach_plugin.json: filter 'plus' has no entry point - reinstall the distribution",
    ]


def test_where_manifest_and_entry_point_name_two_classes_the_entry_point_holds(make: Make, read: Read) -> None:
    make("acme", points={"plus": "acme.other:Plus"}, manifest=manifest())
    registry = read()
    assert registry.entries()[0].spec.object == "acme.other:Plus"
    assert "'plus' is acme:Plus here, its entry point says acme.other:Plus" in registry.troubles()[0].text


@pytest.mark.parametrize(
    ("api", "state", "problem"),
    [
        ("1.0", "ok", ""),
        ("1.7", "ok", "made for Coach API 1.7, this core has 1.0 - a newer coachcore may be needed"),
        ("2.0", "too-new", "made for Coach API 2.0, this core has 1.0 - install versions that go together"),
    ],
)
def test_the_api_policy(make: Make, read: Read, api: str, state: str, problem: str) -> None:
    make("acme", points={"plus": "acme:Plus"}, manifest=manifest(api=api))
    (entry,) = read().entries()
    assert (entry.state, entry.problem) == (state, problem)


def test_a_missing_need_makes_a_part_unavailable(make: Make, read: Read) -> None:
    make("acme", points={"plus": "acme:Plus"}, manifest=manifest(needs=["acme", "not_installed_anywhere"]))
    (entry,) = read().entries()
    assert (entry.state, entry.problem) == ("unavailable", "needs not_installed_anywhere, not installed here")


@pytest.mark.parametrize(
    ("points", "problem"),
    [
        ("[coach.filters]\nplus = acme\n", "'acme' does not name a class as package.module:Class"),
        ("[coach.filters]\nplus = os system:x\n", "'os system:x' does not name a class as package.module:Class"),
        ("[coach.filters]\nplus = gone:Plus\n", "its package 'gone' cannot be found - reinstall it"),
        ("[coach.filters]\nplus = acme:A\nplus = acme:B\n", "declared twice in one distribution"),
    ],
)
def test_a_faulty_entry_point_is_broken(make: Make, read: Read, points: str, problem: str) -> None:
    make("acme", points=points)
    assert {(entry.state, entry.problem) for entry in read().entries()} == {("broken", problem)}


def test_an_unknown_group_is_a_trouble_with_a_suggestion(make: Make, read: Read) -> None:
    make("acme", points="[coach.filter]\nplus = acme:Plus\n")
    registry = read()
    assert registry.entries() == ()
    assert "entry-point group 'coach.filter' is unknown - did you mean 'coach.filters'?" in registry.troubles()[0].text


def test_a_distribution_of_presets_alone(make: Make, read: Read) -> None:
    package = make("acme", points="[coach.plugins]\nacme = acme\n", code=EXPLODES)
    (package / "presets").mkdir()
    (package / "presets" / "pole.toml").write_text("coach = 1\n")
    head = {"manifest": 1, "api": "1.0", "dist": "acme"}
    (package / "coach_plugin.json").write_text(json.dumps(head | {"presets": "presets"}))
    registry = read()
    assert dict(registry.presets()) == {"pole": package / "presets" / "pole.toml"}
    assert registry.troubles() == ()
    (package / "coach_plugin.json").write_text(json.dumps(head | {"presets": "gone"}))
    assert [trouble.text for trouble in read().troubles()] == ["coach_plugin.json: there is no folder 'gone' beside it"]


def test_a_distribution_for_another_api_that_has_no_parts_is_a_trouble(make: Make, read: Read) -> None:
    text = json.dumps({"manifest": 1, "api": "2.0", "dist": "acme"})
    make("acme", points="[coach.plugins]\nacme = acme\n", manifest=text)
    assert "made for Coach API 2.0" in read().troubles()[0].text
