"""Examining plugins one by one in child processes, and saying what ails them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from json import dumps
from typing import NamedTuple

from coachcore.registry.discover import Dist, Point
from coachcore.registry.entry import Entry
from coachcore.registry.manifest import FILE, to_json
from coachcore.registry.probe import LIMIT, Finding, probe
from coachcore.registry.reader import HOOKS_GROUP, KIND_OF
from coachcore.registry.registry import Registry


class Report(NamedTuple):
    """How one distribution is: `faults` make it broken, `remarks` are worth knowing."""

    dist: str
    version: str
    faults: tuple[str, ...]
    remarks: tuple[str, ...]


def examine(registry: Registry, *, limit: float = LIMIT) -> Iterator[Report]:
    """A report on every distribution, two children at a time, in the order of their names."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        yield from pool.map(partial(_report, registry, limit), registry.dists)


def _report(registry: Registry, limit: float, dist: Dist) -> Report:
    points = [point for point in dist.points if point.group in KIND_OF or point.group == HOOKS_GROUP]
    left = [point for point in points if registry.choice.blocked(dist.name, f"{KIND_OF.get(point.group)}:{point.name}")]
    points = [point for point in points if point not in left]
    findings = probe([point.value for point in points], limit=limit)
    entries = {(e.spec.kind, e.spec.name): e for e in registry.entries() if e.dist == dist.name}
    faults = [trouble.text for trouble in registry.troubles() if trouble.dist == dist.name]
    remarks = [f"{point.name}: blocked, not tried" for point in left]
    for point, finding in zip(points, findings, strict=True):
        entry = entries.get((KIND_OF.get(point.group, ""), point.name))
        wrong = complaint(point, finding) or _refused(entry) or _out_of_step(entry, finding)
        faults += [f"{point.name}: {wrong}"] if wrong else []
        remarks += [f"{point.name}: {remark}" for remark in _remarks(finding, entry)]
    return Report(dist.name, dist.version, _once(faults), _once(remarks))


def complaint(point: Point, finding: Finding) -> str:
    """What is wrong with an entry point, given what importing it did; empty when nothing is."""
    if finding.error or point.group == HOOKS_GROUP:
        return finding.error
    if finding.spec is None:
        return f"{point.value} is not a class marked by @component"
    kind = KIND_OF[point.group]
    if (finding.spec.kind, finding.spec.name) != (kind, point.name):
        itself = f"{finding.spec.kind} '{finding.spec.name}'"
        return f"{point.value} calls itself {itself}, its entry point says {kind} '{point.name}'"
    return (
        ""
        if finding.spec.object == point.value
        else f"its class is {finding.spec.object}, its entry point says {point.value}"
    )


def _refused(entry: Entry | None) -> str:
    return entry.problem if entry is not None and entry.state != "ok" else ""


def _out_of_step(entry: Entry | None, finding: Finding) -> str:
    if entry is None or finding.spec is None or entry.spec.params is None:
        return ""
    # As text, since a manifest stores it so: a tuple among the facts is equal to a list.
    said, found = (dumps(to_json(spec), sort_keys=True) for spec in (entry.spec, finding.spec))
    return "" if said == found else f"{FILE} is out of step - run `coach plugin sync`"


def _remarks(finding: Finding, entry: Entry | None) -> Iterator[str]:
    if finding.printed:
        yield f"prints when imported: {finding.printed.partition(chr(10))[0][:60]!r}"
    if finding.changed:
        yield f"changes environment variables when imported: {', '.join(finding.changed)}"
    if entry is not None and entry.state == "ok" and entry.problem:
        yield entry.problem


def _once(lines: list[str]) -> tuple[str, ...]:
    """The lines without repeats; one cause that meets every part is said once, with the first part it met."""
    seen: dict[str, str] = {}
    for line in lines:
        seen.setdefault(line.partition(": ")[2] or line, line)
    return tuple(seen.values())
