"""The one table that all commands read: which settings stand at a place of a preset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coachcore.errors import CoachError

if TYPE_CHECKING:
    from coachcore.presets.tree import Node
    from coachcore.registry.registry import Registry
    from coachcore.specs import ParamSpec

At = tuple[str | int, ...]
"""Keys and list indices from the root of a preset."""


def specs_at(path: At, use: object, registry: Registry) -> Mapping[str, ParamSpec]:
    """The settings of the table at `path`, by name; `use` names the part that stands there, if any."""
    from coachcore.presets import places

    specs = list(_sections(path))
    kind = places.kind_at(path)
    if kind is not None and isinstance(use, str):
        try:
            specs += registry.params(registry.resolve(kind, use))
        except CoachError:
            specs += []  # no such part: the checker says so
    return {spec.name: spec for spec in specs}


def _sections(path: At) -> Sequence[ParamSpec]:
    """The settings at `path` that belong to no part."""
    from coachcore.presets import places

    fixed: dict[At, Sequence[ParamSpec]] = {
        (): places.HEAD,
        ("environment",): (places.COUNT,),
        ("agent", "learner"): places.LEARNER,
        ("agent", "network"): places.NETWORK,
        ("schedule", "evaluate"): places.EVALUATE,
        **{(name,): specs for name, specs in places.RUN.items()},
    }
    if len(path) == 3 and path[:2] == ("agent", "networks"):
        return places.NETWORK
    return fixed.get(path, ())


def described(spec: ParamSpec) -> str:
    """What a setting is, on one line of plain text."""
    unit = f" ({spec.unit})" if spec.unit and spec.unit not in spec.doc else ""
    return " ".join(f"{spec.doc}{unit}".replace("`", "").split())


def source_of(preset: str, registry: Registry) -> tuple[Path, str]:
    """The file of a preset given by path or name, and its text; raises `CoachError`."""
    from coachcore.presets.layers import find

    file = find(preset, registry)
    try:
        return file, file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise CoachError(f"cannot be read: {error.strerror}", where=str(file)) from None
    except UnicodeDecodeError:
        raise CoachError("not UTF-8 text - save the file as UTF-8", where=str(file)) from None


def difference(before: str, after: str, name: str, how: str) -> str:
    """A unified diff without its last line break; empty where nothing changes."""
    lines = unified_diff(before.splitlines(), after.splitlines(), name, f"{name} ({how})", lineterm="")
    return "\n".join(lines)


def merged(document: Mapping[str, Any], file: Path, registry: Registry) -> Node:
    """The preset with what it extends, unchecked: a table may leave `use` to the preset below."""
    from coachcore.presets.layers import Reader, merge
    from coachcore.presets.tree import Origin, rooted

    layers = list(Reader(registry).extended(rooted(document, Origin("data", file.name)), file.parent))
    root = layers[0]
    for layer in layers[1:]:
        root = merge(root, layer, registry)
    return root
