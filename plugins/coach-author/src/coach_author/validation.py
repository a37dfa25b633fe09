"""What is wrong with a distribution, before it is published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from coach_author.frozen import unfrozen
from coach_author.sync import PRESETS, declared, sync
from coachcore.api import ComponentSpec
from coachcore.errors import CoachError, Problems
from coachcore.registry.discover import Dist, canonical, locator
from coachcore.registry.doctor import complaint
from coachcore.registry.manifest import FILE, read
from coachcore.registry.probe import Finding, probe
from coachcore.registry.reader import HOOKS_GROUP, top
from coachcore.registry.registry import Registry


def problems(folder: Path, *, limit: float = 60.0) -> tuple[str, ...]:
    """One line a problem of the distribution in `folder`; empty where there is none.

    Its code is imported in child processes with a time `limit` in seconds.
    """
    try:
        dist = declared(folder)
    except CoachError as error:
        return (str(error),)
    if not dist.points:
        return (f"{dist.name}: has no entry point in a coach.* group - see `coach plugin new` for an example",)
    sources = [str(path.resolve()) for path in (folder / "src", folder) if path.is_dir()]
    findings = probe([point.value for point in dist.points], limit=limit, path=sources)
    lines = [*_entry_points(dist, findings), *_settings(findings, sources, limit), *_names(dist, findings)]
    lines += _presets(dist, sources)
    lines += [] if any(finding.error for finding in findings) else _manifest(folder, limit)
    return tuple(dict.fromkeys(line if line.startswith(dist.name) else f"{dist.name}: {line}" for line in lines))


def _entry_points(dist: Dist, findings: Sequence[Finding]) -> Iterator[str]:
    """Entry points that lead nowhere, or elsewhere, and what importing them does besides."""
    for point, finding in zip(dist.points, findings, strict=True):
        said = complaint(point, finding)
        if said:
            yield f"{point.group}: {point.name} - {said}"
        if point.group == HOOKS_GROUP and not finding.error and not finding.hooks:
            yield f"{point.group}: {point.name} - {point.value} has no function marked hookimpl"
        if finding.printed:
            yield f"{point.group}: {point.name} - importing it prints; a part is silent until it is used"
        if finding.changed:
            changed = ", ".join(finding.changed)
            yield f"{point.group}: {point.name} - importing it changes environment variables: {changed}"


def _settings(findings: Sequence[Finding], sources: Sequence[str], limit: float) -> Iterator[str]:
    """Parts and settings without documentation, and classes that are not frozen."""
    parts = [finding for finding in findings if finding.spec is not None]
    for finding in parts:
        spec = finding.spec
        if spec is None:
            continue
        if not spec.summary:
            yield f"{spec.kind} '{spec.name}' - its class has no docstring; the first line is its summary"
        for param in spec.params or ():
            if not param.doc.strip():
                yield f"{spec.kind} '{spec.name}' - setting '{param.name}' is not documented: use param(doc=...)"
    for value in unfrozen([finding.value for finding in parts], sources, limit):
        yield f"{value} - its settings can be changed: use @attrs.frozen(kw_only=True)"


def _names(dist: Dist, findings: Sequence[Finding]) -> Iterator[str]:
    """Names and aliases used twice, here or by another installed distribution."""
    specs = [finding.spec for finding in findings if finding.spec is not None]
    taken: dict[tuple[str, str], str] = {}
    for entry in Registry().entries():
        if canonical(entry.dist) != canonical(dist.name):
            taken |= {(entry.spec.kind, name): entry.dist for name in _called(entry.spec)}
    for spec in specs:
        for name in _called(spec):
            other = taken.setdefault((spec.kind, name), f"another part of {dist.name}")
            if other != f"another part of {dist.name}" or _seen_twice(spec, name, specs):
                yield f"{spec.kind} '{name}' - the name is also that of {other}; choose another one"


def _called(spec: ComponentSpec) -> tuple[str, ...]:
    return (spec.name, *spec.aliases)


def _seen_twice(spec: ComponentSpec, name: str, specs: Sequence[ComponentSpec]) -> bool:
    same_kind = [one for one in specs if one.kind == spec.kind]
    return sum(_called(one).count(name) for one in same_kind) > 1


def _presets(dist: Dist, sources: Sequence[str]) -> Iterator[str]:
    """Presets whose names are taken by another installed distribution."""
    locate, shelf = locator(sources), Registry().presets()
    for package in sorted({top(point.value) for point in dist.points}):
        found = locate(package)
        folder = found.folder / PRESETS if found is not None and found.folder is not None else None
        for path in sorted(folder.glob("*.toml")) if folder is not None else ():
            others = [other for other in shelf.all(path.stem) if other.resolve() != path.resolve()]
            if others:
                yield f"preset '{path.stem}' - the name is also that of {others[0]}; choose another one"


def _manifest(folder: Path, limit: float) -> Iterator[str]:
    """A manifest that is missing, cannot be read, or is not what the classes say."""
    try:
        synced = sync(folder, write=False, limit=limit)
    except Problems:
        return  # said of the entry points already
    except CoachError as error:
        yield str(error)
        return
    for one in synced:
        if one.state != "out of step" or one.path is None:
            continue
        if not one.path.is_file():
            yield f"{FILE} is missing - run `coach plugin sync`"
            continue
        try:
            read(one.path)
        except CoachError as error:
            yield str(error)
        else:
            yield f"{FILE} is not what the classes say - run `coach plugin sync`"
