"""A run's folder: what is written there when it starts, and read when it goes on."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coachcore.errors import BadCheckpoint, CoachError
from coachcore.threads import thread_settings

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

    path = folder / PRESET
    if not path.is_file():
        raise BadCheckpoint("it is not a run folder: there is no preset.toml in it", where=str(folder))
    return load_preset(path)


def lock_of(folder: Path) -> dict[str, Any]:
    """What `lock` wrote there; raises `BadCheckpoint` when it is missing or damaged."""
    try:
        found = json.loads((folder / LOCK).read_bytes())
        return {**found, "name": str(found["name"])}
    except (OSError, ValueError, KeyError, TypeError):
        raise BadCheckpoint("lock.json is missing or damaged", where=str(folder)) from None


def lock(preset: Preset) -> dict[str, Any]:
    """What a run is made with: distributions, versions, manifest hashes, packages, Python, threads, seed."""
    from importlib.metadata import version

    from coachcore.presets.writer import dump
    from coachcore.registry.lock import locked, packages
    from coachcore.registry.registry import current
    from coachcore.specs import API

    distributions = locked(current())
    return {
        "name": preset.name,
        "api": ".".join(map(str, API)),
        "coachcore": version("coachcore"),
        "distributions": distributions,
        "packages": packages(["coachcore", *distributions]),
        "preset": sha256(dump(preset.resolved).encode()).hexdigest(),
        "python": platform.python_version(),
        "platform": f"{platform.system()}-{platform.machine()}",
        "seed": preset.resolved.get("seed", 0),
        "threads": thread_settings(),
    }


def changes(folder: Path) -> list[str]:
    """What is installed otherwise than when the run in `folder` started, a line each."""
    now, before = lock(preset_of(folder)), lock_of(folder)
    return [
        f"{path} was {was or 'not there'} when the run started, now it is {value or 'gone'}"
        for path, value, was in differences(now, before)
        if path.partition(".")[0] not in ("name", "preset")
    ]


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
