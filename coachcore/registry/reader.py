"""The first plugin: answers the hooks that describe from entry points and manifests, importing nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from re import fullmatch
from types import SimpleNamespace
from typing import Any

from coachcore.errors import CoachError, did_you_mean
from coachcore.registry.discover import Dist, Locate, Point, canonical
from coachcore.registry.entry import REFUSED, Entry, Survey, Trouble, standing
from coachcore.registry.hookspecs import DESCRIBE, hookimpl
from coachcore.registry.manifest import FILE, Manifest, read
from coachcore.specs import KINDS, ComponentSpec

HOOKS_GROUP = "coach.plugins"
KIND_OF = {group: kind for kind, group in KINDS.items()}
"""Entry-point group -> kind of part."""


def survey(dists: Iterable[Dist], locate: Locate) -> Survey:
    """All that `dists` offer. An entry point decides that a part exists, the manifest describes it."""
    surveys = [_Reading(dist, locate).survey() for dist in dists]
    return Survey(
        tuple(entry for one in surveys for entry in one.entries),
        tuple(folders for one in surveys for folders in one.presets),
        tuple(hook for one in surveys for hook in one.hooks),
        tuple(trouble for one in surveys for trouble in one.troubles),
    )


def top(value: str) -> str:
    """The top-level package of an entry point's value."""
    return value.partition(":")[0].partition(".")[0].strip()


class _Reading:
    """One distribution on its way to a survey; troubles gather as they are met."""

    def __init__(self, dist: Dist, locate: Locate) -> None:
        self.dist = dist
        self.locate = locate
        self.troubles: list[Trouble] = []
        self.packages = {
            name: package for name in sorted({top(p.value) for p in dist.points}) if (package := locate(name))
        }
        self.manifests: dict[str, Manifest] = {}
        for name, package in self.packages.items():
            manifest = self._manifest(package.folder)
            if manifest is not None:
                self.manifests[name] = manifest

    def survey(self) -> Survey:
        entries = tuple(self._entries())
        self._strays(entries)
        for manifest in self.manifests.values() if not entries else ():
            state, problem = standing(manifest.api)
            if state in REFUSED:
                self._trouble(problem)
        return Survey(entries, tuple(self._presets()), tuple(self._hooks()), tuple(self.troubles))

    def _trouble(self, text: str) -> None:
        self.troubles.append(Trouble(self.dist.name, self.dist.version, text))

    def _manifest(self, folder: Path | None) -> Manifest | None:
        if folder is None or not (folder / FILE).is_file():
            return None
        try:
            manifest = read(folder / FILE)
        except CoachError as error:
            self._trouble(str(error))
            return None
        if canonical(manifest.dist) != canonical(self.dist.name):
            self._trouble(f"{FILE}: written for '{manifest.dist}' - run `coach plugin sync`")
            return None
        return manifest

    def _entries(self) -> Iterator[Entry]:
        names = Counter((point.group, point.name) for point in self.dist.points)
        for point in dict.fromkeys(self.dist.points):
            kind = KIND_OF.get(point.group)
            if kind is not None:
                yield self._entry(kind, point, twice=names[point.group, point.name] > 1)
            elif point.group != HOOKS_GROUP:
                self._trouble(f"entry-point group '{point.group}' is unknown - {did_you_mean(point.group, KIND_OF)}")

    def _entry(self, kind: str, point: Point, *, twice: bool) -> Entry:
        spec, manifest = self._spec(kind, point), self.manifests.get(top(point.value))
        entry = Entry(spec, self.dist.name, self.dist.version)
        if twice:
            return entry._replace(state="broken", problem="declared twice in one distribution")
        if not fullmatch(r"\w+(\.\w+)*:\w+(\.\w+)*", point.value):
            return entry._replace(
                state="broken", problem=f"'{point.value}' does not name a class as package.module:Class"
            )
        if top(point.value) not in self.packages:
            return entry._replace(
                state="broken", problem=f"its package '{top(point.value)}' cannot be found - reinstall it"
            )
        if manifest is not None:
            state, problem = standing(manifest.api)
            entry = entry._replace(state=state, problem=problem)
        missing = [need for need in spec.needs if self.locate(top(need)) is None]
        if entry.state == "ok" and missing:
            return entry._replace(state="unavailable", problem=f"needs {', '.join(missing)}, not installed here")
        return entry

    def _spec(self, kind: str, point: Point) -> ComponentSpec:
        manifest = self.manifests.get(top(point.value))
        bare = ComponentSpec(kind, point.name, point.value, params=None)
        if manifest is None or standing(manifest.api)[0] in REFUSED:
            return bare
        spec = manifest.components.get((kind, point.name))
        if spec is None:
            self._trouble(f"{FILE}: {kind} '{point.name}' is an entry point but not here - run `coach plugin sync`")
            return bare
        if spec.object != point.value:
            self._trouble(f"{FILE}: {kind} '{point.name}' is {spec.object} here, its entry point says {point.value}")
        return spec._replace(object=point.value)

    def _strays(self, entries: tuple[Entry, ...]) -> None:
        known = {(entry.spec.kind, entry.spec.name) for entry in entries}
        for manifest in self.manifests.values():
            for kind, name in manifest.components.keys() - known:
                self._trouble(f"{FILE}: {kind} '{name}' has no entry point - reinstall the distribution")

    def _presets(self) -> Iterator[tuple[str, Path]]:
        for name, manifest in self.manifests.items():
            folder = self.packages[name].folder
            if manifest.presets and folder is not None:
                if (folder / manifest.presets).is_dir():
                    yield self.dist.name, folder / manifest.presets
                else:
                    self._trouble(f"{FILE}: there is no folder '{manifest.presets}' beside it")

    def _hooks(self) -> Iterator[tuple[str, str]]:
        for point in self.dist.points:
            manifest = self.manifests.get(top(point.value))
            if point.group == HOOKS_GROUP and (manifest is None or manifest.hooks):
                yield self.dist.name, point.value


def plugin(found: Survey) -> SimpleNamespace:
    """The pluggy plugin that answers every describing hook from `found`.

    Parts are answered as `Entry`, and folders of presets with their distribution, which only the reader knows.
    """
    answers: dict[str, Callable[[], Any]] = {"coach_presets": lambda: found.presets}
    answers |= {hook: _answer(found.entries, kind) for kind, hook in DESCRIBE.items()}
    return SimpleNamespace(**_marked(answers))


def _answer(entries: tuple[Entry, ...], kind: str) -> Callable[[], tuple[Entry, ...]]:
    return lambda: tuple(entry for entry in entries if entry.spec.kind == kind)


def _marked(answers: Mapping[str, Callable[[], Any]]) -> dict[str, Callable[[], Any]]:
    return {name: hookimpl(answer) for name, answer in answers.items()}
