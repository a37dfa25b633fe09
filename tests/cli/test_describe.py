"""`coach describe`: what is told of a part, and an example that is TOML."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from coachcore.cli.describe import _sample
from coachcore.component import complaint
from coachcore.specs import ParamSpec
from coachcore.testing.made_up import FILTER

PARAMS = [
    {"name": "amount", "type": "float", "required": True, "gt": 2, "le": 9, "doc": "what is added", "unit": "metres"},
    {"name": "mode", "type": "str", "default": "soft", "choices": ["soft", "hard"], "doc": "how"},
    {"name": "limit", "type": "float", "default": None, "doc": "where it ends"},
]
PART = {
    "kind": "filter",
    "name": "plus",
    "object": "acme:Plus",
    "summary": "Adds a `constant`.",
    "aliases": ["PlusFilter"],
    "facts": {"acts_on": "reward"},
    "params": PARAMS,
}
MANIFEST = json.dumps({"manifest": 1, "api": "1.0", "dist": "acme", "components": [PART]})


@pytest.fixture
def stocked(shop: Any) -> Any:
    shop.add("acme", points={"plus": "acme:Plus"}, manifest=MANIFEST, code="raise SystemExit(9)")
    return shop


TEXT = """\
filter plus
  Adds a constant.
  id           acme/filter:plus
  version      1.0
  class        acme:Plus
  also called  PlusFilter
  since        0.1
  acts on      reward
  state        ok

settings
  amount float  (required)
      what is added; > 2 and <= 9; in metres
  mode str = "soft"
      how; one of soft, hard
  limit float = unset
      where it ends

example
  [[filters.reward]]
  use = "plus"
  amount = 2.1
  mode = "soft"
"""


@pytest.mark.parametrize("name", ["filter/plus", "plus", "PlusFilter", "acme/filter:plus", "acme:plus", "filter:plus"])
def test_a_part_is_described_by_any_of_its_names(stocked: Any, name: str) -> None:
    assert stocked("describe", name) == (0, TEXT, "")


def test_the_example_is_toml(stocked: Any) -> None:
    example = stocked("describe", "plus").out.partition("example\n")[2]
    assert tomllib.loads(example) == {"filters": {"reward": [{"use": "plus", "amount": 2.1, "mode": "soft"}]}}


def test_json(stocked: Any) -> None:
    data = json.loads(stocked("describe", "plus", "--json").out)
    assert (data["schema"], data["id"], data["params"][0]["gt"]) == (1, "acme/filter:plus", 2)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("plsu", "coach: no part is called 'plsu' - did you mean 'plus'? known: plus\n"),
        ("memory/plus", "coach: no memory is called 'plus' - none is installed\n"),
        ("filtre/plus", "coach: there is no kind of part called 'filtre' - did you mean 'filter'?"),
    ],
)
def test_an_unknown_part(stocked: Any, name: str, said: str) -> None:
    answer = stocked("describe", name)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(said)


def test_an_ambiguous_name_asks_which(stocked: Any) -> None:
    stocked.add("other", points={"plus": "other:Plus"})
    said = stocked("describe", "plus")
    assert said.err == "coach: 'plus' may be acme/filter:plus or other/filter:plus - say which\n"
    assert 'use = "acme/filter:plus"' in stocked("describe", "acme:plus").out


def test_settings_without_a_manifest_are_asked_of_the_part(shop: Any) -> None:
    shop.add("acme", points={"plus": "acme:Plus"}, code=FILTER.format(name="plus", alias="P", cls="Plus"))
    assert "  amount float = 1.0\n      what is added; >= 0\n" in shop("describe", "plus").out
    shop.add("hurt", points={"minus": "hurt:Minus"}, code="raise OSError('disk')")
    said = shop("describe", "minus")
    assert said.code == 2
    assert said.err.startswith("coach: hurt/filter:minus: its settings cannot be read - OSError: disk")


@pytest.mark.parametrize(
    "type_", ["int", "float", "int[]", "bool", "str", "duration", "schedule", "float | float[]", "table"]
)
@pytest.mark.parametrize("bounds", [{}, {"ge": 5}, {"gt": 5}, {"lt": 0}, {"ge": 0, "le": 0.5}])
def test_samples_of_required_settings_would_be_taken(type_: str, bounds: dict[str, float]) -> None:
    param = ParamSpec("x", type_, required=True, **bounds)  # type: ignore[arg-type]
    assert complaint(_sample(param), param._asdict()) == ""


def test_a_layer_stands_in_a_scheme(shop: Any) -> None:
    part = PART | {"kind": "layer", "name": "thick", "object": "acme:Thick", "aliases": [], "facts": {}}
    manifest = json.dumps({"manifest": 1, "api": "1.0", "dist": "acme", "components": [part]})
    shop.add("acme", points="[coach.layers]\nthick = acme:Thick\n", manifest=manifest, code="raise SystemExit(9)")
    example = shop("describe", "layer/thick").out.partition("example\n")[2]
    layer = {"use": "thick", "amount": 2.1, "mode": "soft"}
    assert tomllib.loads(example) == {"agent": {"network": {"middleware": {"scheme": [layer]}}}}
    assert shop("list-plugins", "--kind", "layer").out.splitlines()[0].split()[:3] == ["layer", "thick", "acme"]
