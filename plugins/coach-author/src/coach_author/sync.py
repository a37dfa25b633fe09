"""Writing manifests from the classes: what `coach plugin sync` does."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from coachcore.errors import CoachError, Problems
from coachcore.registry.discover import Dist, Package, Point, canonical, discover, locator
from coachcore.registry.doctor import complaint
from coachcore.registry.manifest import FILE, render
from coachcore.registry.probe import LIMIT, Finding, probe
from coachcore.registry.reader import HOOKS_GROUP, KIND_OF, top

PRESETS = "presets"
"""The folder of a package whose TOML files are presets."""


class Synced(NamedTuple):
    """One manifest that is, was or should be written; `path` is None where the distribution offers nothing."""

    dist: str
    path: Path | None
    state: Literal["written", "in step", "out of step", "nothing to write"]
    remark: str = ""


def sync(folder: Path, *, write: bool = True, limit: float = LIMIT) -> tuple[Synced, ...]:
    """Bring the manifests of the distribution whose `pyproject.toml` lies in `folder` in step with its classes.

    Its entry points are read from that file, imported in a child process from
    its source, and asked what they are. Raises `CoachError` where one cannot be
    imported or is not what its entry point says; then nothing is written.
    """
    dist = declared(folder)
    if not dist.points:
        return (Synced(dist.name, None, "nothing to write"),)
    sources = [str(path) for path in (folder / "src", folder) if path.is_dir()]
    findings = probe([point.value for point in dist.points], limit=limit, path=sources)
    _sound(dist, findings)
    locate, remark = locator(sources), _installed(dist)
    names = sorted({top(point.value) for point in dist.points})
    texts = [(_manifest_path(name, locate(name), folder), _text(dist, name, findings, locate(name))) for name in names]
    return tuple(_put(dist.name, path, text, write=write)._replace(remark=remark) for path, text in texts)


def declared(folder: Path) -> Dist:
    """The distribution as its `pyproject.toml` declares it; raises `CoachError`."""
    path = folder / "pyproject.toml"
    try:
        project: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        groups: dict[str, dict[str, str]] = project.get("entry-points", {})
        points = [Point(group, *pair) for group in sorted(groups) for pair in sorted(groups[group].items())]
        ours = tuple(point for point in points if point.group in KIND_OF or point.group == HOOKS_GROUP)
        return Dist(project["name"], project.get("version", "?"), ours)
    except OSError as error:
        raise CoachError(
            f"cannot be read: {error.strerror} - give the folder of a distribution", where=str(path)
        ) from None
    except (tomllib.TOMLDecodeError, KeyError, UnicodeDecodeError) as error:
        raise CoachError(f"is not the pyproject.toml of a distribution: {error}", where=str(path)) from None


def _sound(dist: Dist, findings: Sequence[Finding]) -> None:
    """Raises `Problems` with a line for every entry point that is not what it says."""
    pairs = zip(dist.points, findings, strict=True)
    complaints = {f"{point.group}: {point.name}": complaint(point, finding) for point, finding in pairs}
    lines = [f"{dist.name}: {where} - {text}" for where, text in complaints.items() if text]
    if lines:
        raise Problems(lines)


def _manifest_path(name: str, package: Package | None, folder: Path) -> Path:
    if package is None or package.folder is None:
        raise CoachError(f"package '{name}' is not in {folder} or its src folder - a manifest lies beside a package")
    return package.folder / FILE


def _text(dist: Dist, name: str, findings: Iterable[Finding], package: Package | None) -> str:
    own = [finding for finding in findings if top(finding.value) == name]
    folder = package.folder if package else None
    presets = PRESETS if folder is not None and (folder / PRESETS).is_dir() else ""
    specs = [finding.spec for finding in own if finding.spec is not None]
    return render(dist.name, specs, presets=presets, hooks=any(finding.hooks for finding in own))


def _put(dist: str, path: Path, text: str, *, write: bool) -> Synced:
    if path.is_file() and path.read_bytes() == text.encode():
        return Synced(dist, path, "in step")
    if not write:
        return Synced(dist, path, "out of step")
    path.write_bytes(text.encode())
    return Synced(dist, path, "written")


def _installed(dist: Dist) -> str:
    """A remark where the installed entry points are not the declared ones: an editable install keeps old ones."""
    known = [other for other in discover() if canonical(other.name) == canonical(dist.name)]
    if not known:
        return "not installed here"
    return "" if set(known[0].points) >= set(dist.points) else "its entry points have changed - reinstall it"
