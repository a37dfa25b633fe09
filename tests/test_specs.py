"""Parts as data: plain enough for a manifest, light enough for a list."""

from __future__ import annotations

import json
import subprocess
import sys

from coachcore.specs import API, KINDS, ComponentSpec, ParamSpec


def test_sixteen_kinds_and_a_group_each():
    assert len(KINDS) == 16
    assert len(set(KINDS.values())) == 16
    assert all(group.startswith("coach.") for group in KINDS.values())
    assert (KINDS["filter"], KINDS["exploration"], KINDS["memory"]) == (
        "coach.filters",
        "coach.exploration",
        "coach.memories",
    )


def test_the_version_has_two_numbers():
    assert [type(number) for number in API] == [int, int]


def test_a_spec_goes_through_json():
    spec = ComponentSpec("filter", "x", "m:X", params=(ParamSpec("a", "float", default=0.5, gt=0),), facts={"b": [1]})
    kept = json.loads(json.dumps(spec._asdict()))
    again = ComponentSpec(**{**kept, "aliases": tuple(kept["aliases"]), "needs": tuple(kept["needs"])})
    params = tuple(ParamSpec(*values)._replace(choices=tuple(values[9])) for values in kept["params"])
    assert again._replace(params=params) == spec


def test_it_needs_the_standard_library_alone():
    heavy = ("numpy", "attrs", "attr", "click", "pluggy")
    code = f"import sys, coachcore.specs; print([m for m in {heavy} if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
