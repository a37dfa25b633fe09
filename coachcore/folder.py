"""A run's folder: what is written there when it starts, and read when it goes on."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coachcore.errors import BadCheckpoint, CoachError, Mismatch
from coachcore.threads import cores, thread_settings

if TYPE_CHECKING:
    from coachcore.presets.preset import Preset

PRESET, LOCK = "preset.toml", "lock.json"


def new_folder(name: str, seed: int) -> Path:
    """``runs/<preset>-<time>-<seed>``, numbered where that is taken."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    base = Path("runs") / f"{name}-{stamp}-{seed}"
    folder, tried = base, 1
    while folder.exists():
        tried += 1
        folder = base.with_name(f"{base.name}-{tried}")
    return folder


def furnish(folder: Path, preset: Preset) -> None:
    """Write the resolved preset and the lock into a folder without a run; raises `CoachError` where one is."""
    from coachcore.presets.writer import dump

    if (folder / PRESET).exists():
        raise CoachError(
            "it already holds a run - continue it with --resume, or give --out another folder", where=str(folder)
        )
    try:
        (folder / LOCK).write_text(json.dumps(lock(preset), indent=2, sort_keys=True) + "\n", encoding="utf-8")
        (folder / PRESET).write_text(dump(preset.resolved), encoding="utf-8")
    except OSError as problem:
        raise CoachError(f"cannot start a run here: {problem.strerror or problem}", where=str(folder)) from None


def preset_of(folder: Path) -> Preset:
    """The resolved preset that the run in `folder` was started with; raises `BadCheckpoint` where there is none."""
    from coachcore.presets.preset import load_preset

    _refuse_stranger(folder)
    return load_preset(folder / PRESET)


def _refuse_stranger(folder: Path) -> None:
    if not (folder / PRESET).is_file():
        raise BadCheckpoint("it is not a run folder: there is no preset.toml in it", where=str(folder))


def lock_of(folder: Path) -> dict[str, Any]:
    """What `lock` wrote there; raises `BadCheckpoint` when it is missing or damaged."""
    _refuse_stranger(folder)
    try:
        found = json.loads((folder / LOCK).read_bytes())
        return {**found, "name": str(found["name"])}
    except (OSError, ValueError, KeyError, TypeError):
        raise BadCheckpoint("lock.json is missing or damaged", where=str(folder)) from None


def lock(preset: Preset) -> dict[str, Any]:
    """What a run is: its preset with the distribution of each part, its seed, and all that it is made with."""
    run = {"name": preset.name, "seed": preset.resolved.get("seed", 0), "parts": _parts(preset)}
    return {**run, "preset": _values(preset), **surroundings()}


def surroundings() -> dict[str, Any]:
    """What every run here is made with: distributions, versions, manifest hashes, packages, Python, threads."""
    from importlib.metadata import version

    from coachcore.registry.lock import locked, packages
    from coachcore.registry.registry import current
    from coachcore.specs import API

    distributions = locked(current())
    return {
        "api": ".".join(map(str, API)),
        "coachcore": version("coachcore"),
        "distributions": distributions,
        "packages": packages(["coachcore", *distributions]),
        "python": platform.python_version(),
        "platform": f"{platform.system()}-{platform.machine()}",
        "threads": {**thread_settings(), "cores": cores()},
    }


def _values(preset: Preset) -> dict[str, Any]:
    """The resolved preset as JSON has it; a date becomes text."""
    found: dict[str, Any] = json.loads(json.dumps(preset.resolved, default=str))
    return found


def _parts(preset: Preset) -> dict[str, str]:
    """Path of every part -> its full id: the same name may come to mean another distribution's part."""
    from coachcore.presets.places import kind_at
    from coachcore.presets.tree import all_nodes, path_text
    from coachcore.registry.registry import current

    found = {}
    for path, node in all_nodes(preset.tree):
        kind = kind_at(path[:-1]) if path and path[-1] == "use" else None
        if kind is None:
            continue
        try:
            found[path_text(path[:-1])] = current().resolve(kind, node.value).id
        except CoachError:  # a key of some free table that is called so
            continue
    return found


def changes(folder: Path) -> list[str]:
    """What is installed otherwise than when the run in `folder` started, a line each."""
    return _told(surroundings(), lock_of(folder))


def _told(now: Mapping[str, Any], before: Mapping[str, Any]) -> list[str]:
    return [
        f"{path} was {_said(was) or 'not there'} when the run started, now it is {_said(value) or 'gone'}"
        for path, value, was in differences(now, {key: before.get(key) for key in now})
    ]


def _said(value: Any) -> str:
    """A value in a line; of a whole distribution its version."""
    if isinstance(value, Mapping) and "version" in value:
        return str(value["version"]) or "there"
    return "" if value is None else str(value) or "unset"


def frozen(folder: Path) -> Preset:
    """The preset of the run in `folder`, for the same run again; what is installed is compared before values are.

    Raises `Mismatch`, naming the first difference, where the run would not be the same.
    """
    if not (folder / PRESET).is_file():
        preset_of(folder)  # says so
    before = lock_of(folder)
    _refuse(_told(surroundings(), before), folder)
    preset = preset_of(folder)
    _refuse(_told({"preset": _values(preset), "parts": _parts(preset)}, before), folder)
    from attrs import evolve

    return evolve(preset, name=before["name"])


def _refuse(found: list[str], folder: Path) -> None:
    if found:
        way = f"put that back as it was, or start another run: coach run {folder / PRESET}"
        raise Mismatch(f"the run cannot be reproduced: {found[0]} - {way}", where=str(folder))


def refuse_another(asked: Mapping[str, Any], kept: Mapping[str, Any], folder: Path) -> None:
    """Refuse to resume under another preset, naming the first difference."""
    for path, value, was in differences(asked, kept):
        if path == "summary":
            continue
        raise CoachError(
            f"this run was started with {path} = {was!r}, the preset given has {value!r} - "
            "resume without naming a preset, or start a new run",
            where=str(folder),
        )


def differences(asked: Any, kept: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Path, value and earlier value of everything that is not equal in two nested tables."""
    if isinstance(asked, Mapping) and isinstance(kept, Mapping):
        # Another part says more than another setting, so ``use`` comes first.
        for key in sorted({*asked, *kept}, key=lambda key: (key != "use", key)):
            yield from differences(asked.get(key), kept.get(key), f"{path}.{key}" if path else str(key))
    elif asked != kept:
        yield path, asked, kept
