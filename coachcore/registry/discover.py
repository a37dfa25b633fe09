"""What installed distributions declare: one pass over their metadata, nothing imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import Distribution


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
    for dist in _distributions(sys.path if paths is None else paths):
        points = tuple(_points(_text(dist, "entry_points.txt")))
        facts = _headers(_text(dist, "METADATA") or _text(dist, "PKG-INFO")) if points else {}
        if "name" in facts:
            found.setdefault(canonical(facts["name"]), Dist(facts["name"], facts.get("version", "?"), points))
    return tuple(found[name] for name in sorted(found))


class _Metadata(NamedTuple):
    """The metadata folder of one distribution, asked as an `importlib.metadata.Distribution` is."""

    folder: str

    def read_text(self, name: str) -> str:
        with open(f"{self.folder}/{name}", encoding="utf-8") as file:  # noqa: PTH123 - a Path takes as long as reading
            return file.read()


def _distributions(paths: Iterable[str]) -> Iterator[Distribution | _Metadata]:
    """What `importlib.metadata` finds, in its order, and without importing it: that takes as long as a listing.

    It is asked itself for what lies in an archive, and where somebody else than Python finds distributions.
    """
    if [finder for finder in sys.meta_path if getattr(finder, "find_distributions", None)] != [PathFinder]:
        yield from _standard(paths)
        return
    for path in map(os.fspath, paths):
        try:
            names = os.listdir(path or ".")  # noqa: PTH208 - empty, it is the working directory
        except NotADirectoryError:
            yield from _standard([path])
            continue
        except (OSError, ValueError):
            continue
        egg = ("egg-info",) if path.lower().endswith(".egg") else ()
        for name, low in zip(names, map(str.lower, names), strict=True):
            if low.endswith((".dist-info", ".egg-info")) or low in egg:
                yield _Metadata(f"{path or '.'}/{name}")


def _standard(paths: Iterable[str]) -> Iterator[Distribution]:
    from importlib.metadata import distributions

    return iter(distributions(path=list(paths)))


def _text(dist: Distribution | _Metadata, name: str) -> str:
    """A file of the metadata; empty where it cannot be read."""
    try:
        return dist.read_text(name) or ""
    except (OSError, UnicodeDecodeError):
        return ""


def _headers(metadata: str) -> dict[str, str]:
    """Name and version, the first of each before the first empty line."""
    lines = (line.partition(":") for line in metadata.partition("\n\n")[0].split("\n"))
    return {key.lower(): value.strip() for key, _, value in reversed([*lines]) if key.lower() in ("name", "version")}


def _points(text: str) -> Iterator[Point]:
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
