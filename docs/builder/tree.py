"""What lies in the tree: parts, their classes as syntax, presets."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from coachcore.registry import manifest
from coachcore.registry.entry import Entry
from coachcore.specs import KINDS, ComponentSpec

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
CORE = ROOT / "coachcore"
EXAMPLES = DOCS / "examples"


class Part(NamedTuple):
    """One part of the workspace."""

    entry: Entry
    source: Path  # the file that its class stands in

    @property
    def spec(self) -> ComponentSpec:
        return self.entry.spec

    @property
    def page(self) -> str:
        """Its page, from `docs/reference`."""
        return f"{self.spec.kind}/{self.spec.name}.md"


@cache
def text_of(path: Path) -> str:
    """A file's text."""
    return path.read_text(encoding="utf-8")


@cache
def syntax(path: Path) -> ast.Module:
    """A file's syntax."""
    return ast.parse(text_of(path), str(path))


def short(path: Path) -> str:
    """A file's path from the root, with slashes."""
    return path.relative_to(ROOT).as_posix()


@cache
def parts() -> tuple[Part, ...]:
    """Every part of the workspace, in the order of kinds and by name."""
    return tuple(sorted(_parts(), key=lambda part: (list(KINDS).index(part.spec.kind), part.spec.name)))


def _parts() -> Iterator[Part]:
    for project in sorted(ROOT.glob("plugins/*/pyproject.toml")):
        declared = tomllib.loads(text_of(project))["project"]
        for path in sorted(project.parent.glob(f"src/*/{manifest.FILE}")):
            for spec in manifest.read(path).components.values():
                module = spec.object.partition(":")[0].replace(".", "/")
                home = path.parents[1] / module
                source = home / "__init__.py" if home.is_dir() else home.with_suffix(".py")
                yield Part(Entry(spec, declared["name"], declared["version"]), source)


def parts_of(kind: str) -> list[Part]:
    """The parts of one kind, by name."""
    return [part for part in parts() if part.spec.kind == kind]


def named(kind: str, name: str) -> Part | None:
    """The part that a short name, an alias or a full id means."""
    short_name = name.rpartition(":")[2]
    return next((p for p in parts_of(kind) if short_name in (p.spec.name, *p.spec.aliases)), None)


def class_of(part: Part) -> ast.ClassDef:
    """The class of a part, as syntax."""
    name = part.spec.object.rpartition(":")[2]
    found = [node for node in syntax(part.source).body if isinstance(node, ast.ClassDef) and node.name == name]
    return found[0]


@cache
def presets() -> Mapping[str, Path]:
    """Name -> file of every preset that the workspace installs."""
    found = ROOT.glob("plugins/*/src/*/presets/*.toml")
    return {path.stem: path for path in sorted(found, key=lambda path: path.stem)}


@cache
def layered(path: Path) -> Mapping[str, Any]:
    """A preset over what it extends, table by table, as far as the documentation needs."""
    data = tomllib.loads(text_of(path))
    below = data.get("extends")
    for name in [below] if isinstance(below, str) else below or []:
        data = _over(layered(presets().get(name) or path.parent / f"{name.removesuffix('.toml')}.toml"), data)
    return data


def _over(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    out = {**lower, **upper}
    for key, value in upper.items():
        if isinstance(value, Mapping) and isinstance(lower.get(key), Mapping):
            out[key] = _over(lower[key], value)
    return out
