"""Manifests: the same parts give the same text, and what is not one is refused in a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore.component import component, param
from coachcore.errors import CoachError
from coachcore.registry.manifest import Manifest, read, render, spec_from, to_json
from coachcore.specs import API, KINDS, ComponentSpec, ParamSpec

numbers = st.floats(allow_nan=False) | st.integers(-1000, 1000)
plain = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
params = st.builds(
    lambda required, default, **rest: ParamSpec(required=required, default=None if required else default, **rest),
    name=st.text(min_size=1, max_size=5),
    type=st.sampled_from(["float", "int[]", "schedule"]),
    required=st.booleans(),
    default=plain,
    doc=st.text(max_size=9),
    ge=st.none() | numbers,
    lt=st.none() | numbers,
    choices=st.lists(st.text(max_size=3), max_size=2).map(tuple),
    unit=st.text(max_size=3),
)
specs = st.builds(
    ComponentSpec,
    kind=st.sampled_from(sorted(KINDS)),
    name=st.text(min_size=1, max_size=9),
    object=st.just("acme:Part"),
    summary=st.text(max_size=9),
    since=st.just("0.2"),
    stability=st.sampled_from(["stable", "trial"]),
    aliases=st.lists(st.text(max_size=5), max_size=2).map(tuple),
    needs=st.lists(st.text(max_size=5), max_size=2).map(tuple),
    facts=st.dictionaries(st.text(min_size=1, max_size=5), plain, max_size=2),
    params=st.lists(params, max_size=3).map(tuple),
)


@given(specs)
def test_a_part_comes_back_from_json_as_it_went(spec: ComponentSpec) -> None:
    assert spec_from(json.loads(json.dumps(to_json(spec)))) == spec


@given(st.lists(specs, max_size=4, unique_by=lambda spec: (spec.kind, spec.name)), st.randoms())
def test_the_text_does_not_depend_on_the_order_of_the_parts(parts: list[ComponentSpec], chance: Any) -> None:
    shuffled = parts.copy()
    chance.shuffle(shuffled)
    assert render("acme", shuffled) == render("acme", parts)


def test_the_text_of_a_small_manifest(tmp_path: Path) -> None:
    @component("filter", "plus", aliases=("Plus",), acts_on="reward")
    @attrs.frozen(kw_only=True)
    class Plus:
        """Adds."""

        amount: float = param(default=1.0, ge=0, doc="what is added")
        name: str = param(doc="what it is called", choices=("a", "b"))

    spec = Plus.__coach__._replace(object="acme:Plus")  # type: ignore[attr-defined]
    text = render("acme", [spec], presets="presets", hooks=True)
    assert json.loads(text) == {
        "manifest": 1,
        "api": "1.0",
        "dist": "acme",
        "hooks": True,
        "presets": "presets",
        "components": [
            {
                "kind": "filter",
                "name": "plus",
                "object": "acme:Plus",
                "summary": "Adds.",
                "aliases": ["Plus"],
                "since": "0.1",
                "stability": "stable",
                "facts": {"acts_on": "reward"},
                "params": [
                    {"name": "amount", "type": "float", "default": 1.0, "doc": "what is added", "ge": 0},
                    {
                        "name": "name",
                        "type": "str",
                        "required": True,
                        "doc": "what it is called",
                        "choices": ["a", "b"],
                    },
                ],
            }
        ],
    }
    path = tmp_path / "coach_plugin.json"
    path.write_text(text)
    assert read(path) == Manifest("acme", "1.0", {("filter", "plus"): spec}, "presets", True)


SOUND = {"manifest": 1, "api": "1.0", "dist": "acme", "components": [{"kind": "filter", "name": "f", "object": "a:F"}]}
PART = SOUND["components"][0]  # type: ignore[index]
SETTING = {"name": "n", "type": "int"}


def with_part(**changes: Any) -> dict[str, Any]:
    return SOUND | {"components": [PART | changes]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], "should be one object"),
        (SOUND | {"manifest": 2}, "has form 2, this core reads form 1"),
        (SOUND | {"api": 1}, "has no API version"),
        (SOUND | {"api": "one"}, "has no API version"),
        (SOUND | {"dist": None}, "does not name its distribution"),
        (SOUND | {"presets": "../elsewhere"}, "presets should be a folder of the package"),
        (SOUND | {"presets": "/etc"}, "presets should be a folder of the package"),
        (SOUND | {"components": {}}, "components should be a list"),
        (SOUND | {"components": [3]}, "a component should be an object, got 3"),
        (with_part(name=None), "None: name should be text"),
        (with_part(summary=3), "f: summary should be text"),
        (with_part(kind="filtre"), "f: there is no kind of part called 'filtre'"),
        (with_part(colour="red"), "f: unknown key 'colour'"),
        (with_part(facts=[]), "f: facts should be a table"),
        (with_part(aliases="F"), "f: aliases should be a list of texts"),
        (with_part(needs=[1]), "f: needs should be a list of texts"),
        (with_part(params=[1]), "f: a parameter should be an object, got 1"),
        (with_part(params=[{"name": "n"}]), "f: a parameter needs a name and a type"),
        (with_part(params=[SETTING | {"hue": 1}]), "f.n: unknown key 'hue'"),
        (with_part(params=[SETTING | {"ge": "0"}]), "f.n: ge should be a number"),
        (with_part(params=[SETTING | {"choices": "ab"}]), "f.n: choices should be a list of texts"),
    ],
)
def test_what_is_not_a_manifest_is_refused_in_one_line(tmp_path: Path, data: object, said: str) -> None:
    path = tmp_path / "coach_plugin.json"
    path.write_text(json.dumps(data))
    with pytest.raises(CoachError) as caught:
        read(path)
    assert str(caught.value).startswith("coach_plugin.json: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xff", b"[" * 100_000])
def test_what_is_not_json_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "coach_plugin.json").write_bytes(content)
    with pytest.raises(CoachError, match="is not JSON"):
        read(tmp_path / "coach_plugin.json")


def test_a_manifest_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CoachError, match="cannot be read"):
        read(tmp_path / "absent")


def test_of_another_api_only_the_head_is_read(tmp_path: Path) -> None:
    (tmp_path / "coach_plugin.json").write_text(json.dumps(SOUND | {"api": "2.0", "components": "in another form"}))
    assert read(tmp_path / "coach_plugin.json") == Manifest("acme", "2.0", {})


def newer(tmp_path: Path, *components: object) -> Path:
    path = tmp_path / "coach_plugin.json"
    api = f"{API[0]}.{API[1] + 1}"
    path.write_text(json.dumps({"manifest": 1, "api": api, "dist": "acme", "later": 1, "components": components}))
    return path


def test_what_a_newer_minor_version_added_is_passed_over(tmp_path: Path) -> None:
    sound = {"kind": "filter", "name": "plus", "object": "acme:Plus", "params": [{"name": "amount", "type": "float"}]}
    odd = sound | {"taste": "sweet", "params": [sound["params"][0] | {"smell": 3}]}
    found = read(newer(tmp_path, odd, {"kind": "critic", "name": "c", "object": "acme:C", "rank": 3}))
    assert found.components == {("filter", "plus"): spec_from(sound)}


@pytest.mark.parametrize("wrong", [3, {"kind": "filter", "name": 3}, {"kind": "filter", "name": "a", "params": 3}])
def test_what_is_wrong_in_any_version_is_wrong_in_a_newer_one(tmp_path: Path, wrong: object) -> None:
    with pytest.raises(CoachError, match=r"^coach_plugin\.json: .* - run `coach plugin sync`"):
        read(newer(tmp_path, wrong))


@pytest.mark.parametrize("major", [-1, 1])
def test_of_another_major_version_nothing_but_its_api_is_read(tmp_path: Path, major: int) -> None:
    path = tmp_path / "coach_plugin.json"
    api = f"{API[0] + major}.0"
    path.write_text(json.dumps({"manifest": 77, "api": api, "dist": "acme", "components": "elsewhere"}))
    found = read(path)
    assert (found.dist, found.api, found.components) == ("acme", api, {})
