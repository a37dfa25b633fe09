"""What installed distributions declare: one pass over their metadata, nothing imported."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution, distributions
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple


class Point(NamedTuple):
    """One entry point: `value` is ``"package.module:Class"``, or a module in the group ``coach.plugins``."""

    group: str
    name: str
    value: str


class Dist(NamedTuple):
    """A distribution with entry points in ``coach.*`` groups."""

    name: str
    version: str
    points: tuple[Point, ...]


class Package(NamedTuple):
    """Where a top-level package lies; `folder` is None for a single-file module, which can have no manifest."""

    folder: Path | None


Locate = Callable[[str], Package | None]
"""Top-level package name -> where it lies, or None when it cannot be imported here."""


def discover(paths: Sequence[str] | None = None) -> tuple[Dist, ...]:
    """Every distribution on `paths` (default: `sys.path`) that offers something to Coach, by name.

    Metadata that cannot be read counts as not there. Where a name is found
    twice, the first on the path is the installed one, as for imports.
    """
    found: dict[str, Dist] = {}
    for dist in distributions() if paths is None else distributions(path=list(paths)):
        points = tuple(_points(dist))
        if not points:
            continue
        facts = {key: dist.metadata[key] for key in ("Name", "Version") if key in dist.metadata}
        if "Name" in facts:
            found.setdefault(canonical(facts["Name"]), Dist(facts["Name"], facts.get("Version", "?"), points))
    return tuple(found[name] for name in sorted(found))


def _points(dist: Distribution) -> Iterator[Point]:
    try:
        text = dist.read_text("entry_points.txt") or ""
    except (OSError, UnicodeDecodeError):
        return
    group = ""
    for line in map(str.strip, text.splitlines() if "[coach." in text else ()):
        if line.startswith("["):
            group = line.strip("[] ")
        elif group.startswith("coach.") and line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            yield Point(group, name.strip(), value.strip())


def canonical(name: str) -> str:
    """A distribution's name as indexes compare it: ``Acme_Filters`` -> ``acme-filters``."""
    return name.lower().replace("_", "-").replace(".", "-")


def locator(paths: Sequence[str] | None = None) -> Locate:
    """A look-up of top-level packages on `paths` (default: as an import would), remembered; nothing is imported."""

    @cache
    def locate(name: str) -> Package | None:
        try:
            spec = find_spec(name) if paths is None else PathFinder.find_spec(name, list(paths))
        except (ImportError, ValueError, AttributeError):
            # A module someone put into sys.modules without a spec: it is there, but nothing is known of it.
            return Package(None) if name in sys.modules else None
        return _package(spec)

    return locate


def _package(spec: ModuleSpec | None) -> Package | None:
    if spec is None:
        return None
    folders = list(spec.submodule_search_locations or ())
    return Package(Path(folders[0]) if folders else None)
