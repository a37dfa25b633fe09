"""Made-up distributions in a folder: metadata, packages and manifests for tests of plugins and of the registry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent

from coachcore.registry.manifest import FILE, render
from coachcore.registry.probe import probe
from coachcore.specs import KINDS

FILTER = '''
import attrs
from coachcore.component import component, param

@component("filter", "{name}", aliases=("{alias}",), acts_on="reward")
@attrs.frozen(kw_only=True)
class {cls}:
    """Adds a constant."""
    amount: float = param(default=1.0, ge=0, doc="what is added")
'''
"""A sound part to fill with `str.format`; good enough to be listed, described, loaded and synced."""


def made_up(
    folder: Path,
    dist: str,
    *,
    points: Mapping[str, str] | str,
    code: str | Mapping[str, str] = "",
    manifest: str | None = None,
    version: str = "1.0",
) -> Path:
    """Write distribution `dist` into `folder`, which the caller puts on `sys.path`; returns its package's folder.

    `points` are filters by name (``{"plus": "acme:Plus"}``), or the whole text
    of ``entry_points.txt``. `code` is the package's ``__init__.py``, or files by
    name. `manifest` is the text of ``coach_plugin.json``.
    """
    package = folder / dist.replace("-", "_")
    metadata = folder / f"{package.name}-{version}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {dist}\nVersion: {version}\n", encoding="utf-8")
    text = points if isinstance(points, str) else _group(points)
    (metadata / "entry_points.txt").write_text(text, encoding="utf-8")
    package.mkdir(exist_ok=True)
    for name, content in ({"__init__.py": code} if isinstance(code, str) else code).items():
        (package / name).write_text(dedent(content), encoding="utf-8")
    if manifest is not None:
        (package / FILE).write_text(manifest, encoding="utf-8")
    return package


def manifest_of(dist: str, values: Sequence[str], source: Path) -> str:
    """The text of the manifest of `dist`, whose classes, ``"package.module:Class"``, are imported from `source`."""
    found = [finding.spec for finding in probe(values, path=[str(source)])]
    return render(dist, [spec for spec in found if spec is not None])


def _group(points: Mapping[str, str]) -> str:
    return "\n".join([f"[{KINDS['filter']}]", *(f"{name} = {value}" for name, value in points.items()), ""])
