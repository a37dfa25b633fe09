"""What ``pytest --coach-conformance`` collects: each part of a manifest, held to each law of its kind."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import chdir
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from coachcore.component import spec_of
from coachcore.registry.discover import canonical
from coachcore.registry.hookspecs import DESCRIBE, hookimpl
from coachcore.registry.manifest import FILE, Manifest, read
from coachcore.registry.reader import top
from coachcore.registry.registry import Registry
from coachcore.specs import ComponentSpec
from coachcore.testing.examples import example
from coachcore.testing.leaks import LeftBehind, nothing_left_behind
from coachcore.testing.suites import Check, checks, warm
from coachcore.testing.toy_plugin import ToyPlugin


def manifests(given: Sequence[Path]) -> list[Path]:
    """The manifests of the distributions that the paths lie in, or that lie in the paths."""
    roots = {_root(path) or path for path in given}
    found = {path for root in roots for pattern in ("src/*/", "*/", "") for path in root.glob(pattern + FILE)}
    return sorted(found or {path for one in given if one.is_dir() for path in one.rglob(FILE)})


def _root(path: Path) -> Path | None:
    """The nearest folder with a pyproject.toml."""
    return next((one for one in (path, *path.parents) if (one / "pyproject.toml").is_file()), None)


def registry_with(manifest: Manifest, classes: Iterable[type]) -> Registry:
    """What is installed, the kit's toys, and the classes of a distribution that is not (a source folder).

    The toys are for settings that are parts themselves, where no other part of their kind is installed.
    """
    registry = Registry()
    registry.register(ToyPlugin(), "toys")
    if canonical(manifest.dist) not in {canonical(dist.name) for dist in registry.dists}:
        offered: dict[str, list[type]] = {}
        for cls in classes:
            offered.setdefault(DESCRIBE[spec_of(cls).kind], []).append(cls)
        registry.register(_offering(offered), manifest.dist)
    return registry


def _offering(offered: dict[str, list[type]]) -> object:
    """A plugin whose hooks answer with these classes, by the hooks' names."""
    plugin = type("Offering", (), {})()
    for hook, classes in offered.items():
        setattr(plugin, hook, hookimpl(lambda classes=classes: classes))
    return plugin


class ManifestFile(pytest.File):
    """A `coach_plugin.json`: its parts, made for testing."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item a part and law; a part that cannot be made is one item that fails."""
        manifest = read(self.path)
        sources = str(self.path.parents[1])
        if any(find_spec(top(spec.object)) is None for spec in manifest.components.values()):
            sys.path.insert(0, sources)
        registry = registry_with(manifest, [_class(spec) for spec in manifest.components.values()])
        for (kind, name), spec in manifest.components.items():
            found = example(registry, kind, f"{_installed_as(registry, manifest)}:{name}")
            rules = [Check("it_can_be_made", _fails(found.trouble))] if found.trouble else checks(kind)
            for rule in rules:
                yield PartItem.from_parent(self, name=f"{kind}:{spec.name}::{rule.name}", part=found.part, rule=rule)


def _installed_as(registry: Registry, manifest: Manifest) -> str:
    """The distribution's name as the registry writes it."""
    names = (dist.name for dist in registry.dists)
    return next((name for name in names if canonical(name) == canonical(manifest.dist)), manifest.dist)


def _class(spec: ComponentSpec) -> type:
    module, _, name = spec.object.partition(":")
    return attrgetter(name)(import_module(module))  # type: ignore[no-any-return]


def _fails(trouble: str) -> Any:
    def rule(_part: Any, _folder: Path) -> None:
        raise AssertionError(trouble)

    return rule


class PartItem(pytest.Item):
    """One part, one law, in a folder of its own, leaving nothing behind."""

    def __init__(self, *, part: Any, rule: Check, **settings: Any) -> None:
        super().__init__(**settings)
        self.part, self.rule = part, rule

    def runtest(self) -> None:
        """Hold the part to the law."""
        if self.part is not None:
            warm(spec_of(self.part).kind)
        try:
            self._held()
        except LeftBehind:
            # Some libraries set variables when they are first imported; what the part itself does shows again.
            self._held()

    def _held(self) -> None:
        with TemporaryDirectory(prefix="coach-") as folder, chdir(folder), nothing_left_behind():
            self.rule.run(self.part, Path(folder))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """A broken rule is its sentence; anything else its traceback."""
        if isinstance(excinfo.value, AssertionError):
            return f"{self.name}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it comes from."""
        return self.path, None, self.name


class Tampered(pytest.Item):
    """A conformance class that does not ask all that its suite asks."""

    def __init__(self, *, found: Sequence[str], **settings: Any) -> None:
        super().__init__(**settings)
        self.found = found

    def runtest(self) -> None:
        """Fail."""
        wrong = "; ".join(self.found)
        raise AssertionError(f"{wrong} - leave standard tests alone, or mark one pytest.mark.xfail(reason=...)")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The sentence alone."""
        return f"{self.name}: {excinfo.value}"

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it comes from."""
        return self.path, None, self.name
