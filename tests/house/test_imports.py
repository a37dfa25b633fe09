"""Who may import whom: the table of DESIGN.md, section 2."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

LOWEST = {
    "deprecated", "errors", "types", "spaces", "rng", "clock", "threads", "signals",
    "specs", "component", "settings", "layout", "events", "acting",
}  # fmt: skip
ROOMS = {
    "lowest": {"lowest"},
    "contracts": {"lowest", "contracts"},
    "registry": {"lowest", "contracts", "registry"},
    "presets": {"lowest", "contracts", "registry", "presets"},
    "running": {"lowest", "contracts", "running"},
    "api": {"lowest", "contracts", "registry"},
    "testing": {"lowest", "contracts", "registry", "presets", "running", "testing", "api", "door", "front"},
    "front": {"lowest", "registry", "door"},  # coachcore/__init__.py
    "door": {"lowest", "contracts", "registry", "presets", "running", "front", "door"},
    "cli": {"lowest", "contracts", "registry", "presets", "running", "door", "cli", "front", "testing"},
}
THIRD_PARTY = {
    "lowest": {"numpy", "attrs"},
    "contracts": {"numpy", "attrs"},
    "registry": {"attrs", "pluggy", "numpy"},
    "presets": {"attrs", "pluggy", "numpy"},
    "running": {"numpy", "attrs"},
    "api": set(),
    "testing": {"numpy", "attrs", "pytest", "hypothesis", "pluggy"},
    "front": set(),
    "door": {"numpy", "attrs"},
    "cli": {"click", "attrs", "numpy"},
}
STANDARD_LIBRARY_ALONE = {"coachcore.errors", "coachcore.specs", "coachcore.threads"}
LIGHT = {"registry", "presets", "cli", "door", "front"}
"""Rooms that must be importable without NumPy: listing plugins passes through them."""
HEAVY = ("numpy", "scipy", "tensorflow", "keras", "jax", "gymnasium", "gym", "rich", "tensorboardX")
BACKENDS = {"tensorflow": "coach_tensorflow", "jax": "coach_jax"}


def room_of(module):
    first = module.partition(".")[2].partition(".")[0]
    rooms = {"": "front", "__main__": "cli", "folder": "door"} | dict.fromkeys(LOWEST, "lowest")
    return rooms.get(first, first)


def ours(item):
    return item.top == "coachcore"


def third_party(item):
    return not ours(item) and item.top not in sys.stdlib_module_names


def test_every_file_of_the_core_lies_in_a_room_of_the_table(core_file):
    room = room_of(core_file.module)
    assert room in ROOMS, f"{core_file}: '{room}' is no room of the table; name it in DESIGN.md section 2 and here"


def test_a_room_imports_only_downward(core_file):
    room = room_of(core_file.module)
    wrong = [
        f"line {item.line}: {item.name}"
        for item in core_file.imports
        if ours(item) and room_of(item.name) not in ROOMS.get(room, ())
    ]
    assert not wrong, f"{core_file} lies in {room}, which may import {sorted(ROOMS[room])} - {wrong}"


def test_the_core_imports_nothing_it_does_not_need(core_file):
    room = room_of(core_file.module)
    allowed = set() if core_file.module in STANDARD_LIBRARY_ALONE else THIRD_PARTY[room]
    wrong = [
        f"line {item.line}: {item.name}" for item in core_file.imports if third_party(item) and item.top not in allowed
    ]
    assert not wrong, (
        f"{core_file} lies in {room}, which may import {sorted(allowed) or 'the standard library'} - {wrong}"
    )


def test_imports_are_absolute(any_file):
    wrong = [f"line {item.line}: {item.name}" for item in any_file.imports if item.name.startswith(".")]
    assert not wrong, f"{any_file} imports relative to itself: write the full name - {wrong}"


def test_no_room_of_the_front_imports_a_heavy_thing_at_once(core_file):
    if room_of(core_file.module) not in LIGHT:
        return
    wrong = [f"line {item.line}: {item.name}" for item in core_file.imports if item.at_once and item.top in HEAVY]
    assert not wrong, f"{core_file} is passed by list-plugins: import inside a function - {wrong}"


def test_the_front_stays_light_when_all_of_it_is_imported(core):
    """The same, with whatever these modules lead to: one process imports them all."""
    light = [
        source.module for source in core if room_of(source.module) in LIGHT and not source.module.endswith("__main__")
    ]
    code = (
        "import sys\nfrom importlib import import_module\n"
        f"for name in {light}:\n"
        "    import_module(name)\n"
        f"    heavy = [m for m in sys.modules if m.partition('.')[0] in {HEAVY}]\n"
        "    if heavy: sys.exit(f'importing {name} imports {heavy[0]}')\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr


BESIDES = {
    "coach_networks": {"coachcore.acting"},
    "coach_memories": {"coachcore.running.checkpoint"},  # a saved memory is written as a checkpoint is
    "coach_author": {"coachcore.specs", "coachcore.errors", "coachcore.cli.output"}
    | {f"coachcore.registry.{name}" for name in ("discover", "doctor", "manifest", "probe", "reader", "registry")},
    "coach_preset_tools": {"coachcore.specs", "coachcore.errors", "coachcore.clock"}
    | {"coachcore.cli.check", "coachcore.cli.completion"}
    | {f"coachcore.registry.{name}" for name in ("entry", "hookspecs", "registry")}
    | {f"coachcore.presets.{name}" for name in ("check", "layers", "places", "positions", "preset", "tree", "values")}
    | {"coachcore.presets", "coachcore.presets.writer"},
}
"""What a plugin takes of the core besides its public names: authors' commands stand beside `coach doctor`, those
over presets beside `coach check`, as light as it is (coachcore.api, which is for parts, imports NumPy)."""


def test_a_plugin_imports_the_public_names_of_the_core_only(plugin_file):
    allowed = {"coachcore.api"} | BESIDES.get(plugin_file.module.partition(".")[0], set())
    wrong = [
        f"line {item.line}: {item.name}" for item in plugin_file.imports if ours(item) and item.name not in allowed
    ]
    assert not wrong, f"{plugin_file} may import {sorted(allowed)} of the core - {wrong}"


END_TO_END = ("coach-presets/", "coach-preset-tools/")
"""Their tests are the whole product's, run as a user runs it: they may look into checkpoints and call the door."""


def test_a_plugins_tests_import_the_public_names_and_the_kit(plugin_test):
    if any(name in str(plugin_test) for name in END_TO_END):
        return
    wrong = [
        f"line {item.line}: {item.name}"
        for item in plugin_test.imports
        if ours(item) and not re.fullmatch(r"coachcore\.(api|acting|testing(\..*)?)|coachcore", item.name)
    ]
    assert not wrong, f"{plugin_test} may import coachcore.api and coachcore.testing - {wrong}"


DIST_NAMES = {"PIL": "pillow", "cv2": "opencv-python-headless"}
"""Import name -> distribution, where lower case and hyphens do not make one of the other."""


def declared(project):
    """The distributions that one depends on, its extras included."""
    given = [*project["project"].get("dependencies", [])]
    given += [need for extra in project["project"].get("optional-dependencies", {}).values() for need in extra]
    names = {re.split(r"[^A-Za-z0-9._-]", text, maxsplit=1)[0].lower().replace("_", "-") for text in given}
    return names | {"attrs"}  # comes with the core


def test_a_plugin_declares_whatever_it_imports(plugin_file, projects):
    """Siblings and outside packages alike; else it works here and fails where it is installed alone."""
    own = plugin_file.module.partition(".")[0]
    there = declared(projects[plugin_file.dist.name])
    wrong = []
    for item in plugin_file.imports:
        if not third_party(item) or item.top == own:
            continue
        wanted = DIST_NAMES.get(item.top, item.top.lower()).replace("_", "-")
        if not there & {wanted, f"{wanted}-cpu"}:
            wrong.append(f"line {item.line}: {item.name}")
    assert not wrong, f"{plugin_file} imports what its pyproject.toml does not depend on - {wrong}"


def test_no_underscore_name_is_taken_from_the_core(plugin_file):
    import ast

    wrong = []
    for node in ast.walk(plugin_file.tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("coachcore"):
            taken = [*node.module.split("."), *(alias.name for alias in node.names)]
            wrong += [f"line {node.lineno}: {name}" for name in taken if name.startswith("_")]
    assert not wrong, f"{plugin_file} takes private names from the core - {wrong}"


@pytest.mark.parametrize(("backend", "engine"), BACKENDS.items())
def test_only_an_engine_knows_its_backend(source_file, backend, engine):
    if source_file.module.partition(".")[0] == engine:
        return
    wrong = [f"line {item.line}" for item in source_file.imports if item.top == backend]
    assert not wrong, f"{source_file} imports {backend}; only {engine} may - {wrong}"
