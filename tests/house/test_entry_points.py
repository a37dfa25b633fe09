"""Every part is an entry point, and every entry point is a part."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import pytest

from coachcore.specs import KINDS

GROUPS = {group: kind for kind, group in KINDS.items()}
OTHER = {"coach.plugins", "coach.presets", "console_scripts", "pytest11"}


def points(project):
    return {
        (GROUPS[group], name): value
        for group, named in project["project"].get("entry-points", {}).items()
        if group in GROUPS
        for name, value in named.items()
    }


def test_groups_are_those_of_the_kinds(project):
    name, table = project
    odd = set(table["project"].get("entry-points", {})) - set(GROUPS) - OTHER
    assert not odd, f"{name}: no kind of part has the group {sorted(odd)}; there is {', '.join(sorted(GROUPS))}"


def test_every_part_in_the_source_is_registered_and_nothing_else_is(project, plugins, root):
    name, table = project
    there = {
        part: f"{source.module}:{cls}"
        for source in plugins
        if source.dist == root / "plugins" / name
        for cls, part in source.components.items()
    }
    given = points(table)
    assert given == there, (
        f"{name}: entry points and @component disagree: {sorted(set(given.items()) ^ set(there.items()))}"
    )


def test_every_entry_point_leads_to_the_part_it_names(project):
    """With the plugin installed: what is imported is the part of that kind and name."""
    name, table = project
    package = name.replace("-", "_")
    if find_spec(package) is None:
        pytest.skip(f"{name} is not installed")
    for (kind, part), value in points(table).items():
        module, _, cls = value.partition(":")
        spec = getattr(import_module(module), cls).__coach__
        assert (spec.kind, spec.name, spec.object) == (kind, part, value)


def test_every_plugin_names_the_core_as_a_dependency(project):
    name, table = project
    needs = table["project"]["dependencies"]
    assert any(need.startswith("coachcore") for need in needs), f"{name} does not say that it needs coachcore"
    assert table["project"]["license"] == "Apache-2.0"
    assert table["project"]["requires-python"] == ">=3.11,<3.14"
