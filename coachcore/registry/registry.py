"""The registry: every part by name, its standing, and its class when it is used."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pluggy

from coachcore.deprecated import warn_once
from coachcore.errors import BrokenPlugin, CoachError, UnknownName, did_you_mean
from coachcore.registry import hookspecs, reader
from coachcore.registry.choice import Choice, configured, spoken
from coachcore.registry.discover import discover, locator
from coachcore.registry.entry import Entry, Trouble
from coachcore.registry.gather import Gathered, add, class_of, gather
from coachcore.registry.isolate import load_object
from coachcore.registry.shelf import Shelf
from coachcore.specs import KINDS, ParamSpec

__all__ = ["Entry", "Registry", "Trouble", "current", "hooks", "register", "unregister"]

RUN_TIME = "run-time"
"""Stands for the distribution of parts registered without a name by a running program."""


class Registry:
    """Parts offered by installed distributions and by plugins registered while running.

    Reading it imports no plugin; `load` imports the one part it is asked for.
    `paths` are searched in place of `sys.path`; `choice` is the user's word on clashes and on what to leave alone.
    """

    def __init__(self, paths: Sequence[str] | None = None, choice: Choice = Choice()) -> None:  # noqa: B008 - a tuple
        self.choice = choice
        self.dists = discover(paths)
        self._survey = reader.survey(self.dists, locator(paths))
        self._plugins = pluggy.PluginManager(hookspecs.PROJECT)
        self._plugins.add_hookspecs(hookspecs)
        self._plugins.register(reader.plugin(self._survey), "entry-points")
        self._hooked: set[tuple[str, str]] = set()
        self._hook_troubles: list[Trouble] = []
        self._loaded: dict[str, type] = {}
        self._described: dict[str, tuple[ParamSpec, ...]] = {}
        self._gathered: Gathered | None = None

    def entries(self, kind: str | None = None) -> tuple[Entry, ...]:
        """Every part (of one kind), usable or not, by kind, name and distribution."""
        if kind is not None and kind not in KINDS:
            raise UnknownName(f"there is no kind of part called '{kind}' - {did_you_mean(kind, KINDS, listed=15)}")
        return tuple(entry for entry in self._gather().entries if kind in (None, entry.spec.kind))

    def resolve(self, kind: str, name: str) -> Entry:
        """The part meant by a name, an alias (case kept) or a full id ``dist/kind:name`` or ``dist:name``.

        Raises `UnknownName` where there is none, and where there are several of which the user prefers none.
        Warns, once, of a part made for a newer minor version of the API.
        """
        front, _, short = name.rpartition(":")
        dist, _, named_kind = front.partition("/")
        if named_kind not in ("", kind):
            raise UnknownName(f"'{name}' is a {named_kind}, wanted is a {kind}")
        offered = [entry for entry in self.entries(kind) if dist in ("", entry.dist)]
        matching = [entry for entry in offered if short in (entry.spec.name, *entry.spec.aliases)]
        if not matching:
            known = {entry.spec.name for entry in offered}
            known |= {alias for entry in offered for alias in entry.spec.aliases if not short.islower()}
            raise UnknownName(f"no {kind} is called '{name}' - {did_you_mean(short, known)}")
        meant, _ = self.choice.meant(matching)
        if meant is None:
            ids = [f"'{entry.id}'" for entry in matching if entry.state != "disabled"]
            times = "twice" if len(ids) == 2 else f"{len(ids)} times"
            raise UnknownName(f"{kind} '{name}' is offered {times} - write {' or '.join(ids)}, or prefer or block one")
        if meant.state == "ok" and meant.problem:
            warn_once(f"{meant.dist}: {meant.problem}")
        return meant

    def unmistakable(self, entry: Entry) -> str:
        """What a preset calls a part: its name, or its full id where another has the name, preferred or not."""
        name = entry.spec.name
        rivals = (other for other in self.entries(entry.spec.kind) if other.id != entry.id)
        return entry.id if any(name in (other.spec.name, *other.spec.aliases) for other in rivals) else name

    def choose(self, how: Literal["prefer", "block"], texts: Iterable[str]) -> None:
        """Add to `choice`, before what it holds; raises `CoachError` for what is neither a distribution nor an id."""
        known = {name for entry in self.entries() for name in (entry.id, entry.dist)}
        added = spoken(texts, f"--{how}", known.union(dist.name for dist in self.dists))
        self.choice = self.choice._replace(**{how: (*added, *getattr(self.choice, how))})
        self._gathered = None

    def load(self, kind: str, name: str) -> type:
        """The class of a part, imported in isolation; raises `UnknownName` or `BrokenPlugin`."""
        entry = self.resolve(kind, name)
        if entry.id not in self._loaded:
            if entry.state not in ("ok", "clash"):
                raise BrokenPlugin(f"cannot be used: {entry.problem}", where=entry.id)
            self._loaded[entry.id] = class_of(entry)
        return self._loaded[entry.id]

    def params(self, entry: Entry) -> tuple[ParamSpec, ...]:
        """A part's settings; where no manifest has them, from the class imported in a child process.

        Raises `BrokenPlugin` when that fails.
        """
        if entry.spec.params is not None:
            return entry.spec.params
        if entry.id not in self._described:
            from coachcore.registry.probe import describe

            self._described[entry.id] = describe(entry).params or ()
        return self._described[entry.id]

    def presets(self) -> Shelf:
        """Installed presets: name -> file; taking one that is offered twice raises `CoachError`."""
        return self._gather().presets

    def preset(self, name: str) -> Path:
        """The file of an installed preset; raises `UnknownName`, or `CoachError` where two have the name."""
        shelf = self.presets()
        if name not in shelf:
            raise UnknownName(f"no installed preset is called '{name}' - {did_you_mean(name, shelf)}")
        return shelf[name]

    def troubles(self) -> tuple[Trouble, ...]:
        """What is wrong with whole distributions and plugins, a line each."""
        found = (*self._survey.troubles, *self._gather().troubles, *self._hook_troubles)
        return tuple(trouble for trouble in found if not self.choice.blocked(trouble.dist))

    def register(self, plugin: object, name: str | None = None) -> str:
        """Add a plugin object or module with hookimpls; returns the name that stands for its distribution.

        Raises `CoachError` for a name that is taken, `BrokenPlugin` for hooks that do not exist.
        """
        taken = {known for known, _ in self._plugins.list_name_plugin()} | {
            entry.dist for entry in self._survey.entries
        }
        free = (RUN_TIME if number == 1 else f"{RUN_TIME}-{number}" for number in range(1, len(taken) + 2))
        name = name or next(candidate for candidate in free if candidate not in taken)
        if name in taken:
            raise CoachError(f"a plugin is called '{name}' already - choose another name")
        add(self._plugins, plugin, name)
        self._gathered = None
        return name

    def unregister(self, name: str) -> None:
        """Take a plugin registered while running out again; raises `UnknownName`."""
        if name == "entry-points" or not self._plugins.has_plugin(name):
            raise UnknownName(f"no plugin is registered as '{name}'")
        self._plugins.unregister(name=name)
        self._loaded = {key: cls for key, cls in self._loaded.items() if not key.startswith(f"{name}/")}
        self._gathered = None

    def hooks(self, without: Collection[str] = ()) -> Any:
        """The pluggy relay, with hook modules imported, each in isolation; not those of `without` or blocked.

        One that cannot be imported is left out and shows in `troubles`.
        """
        for dist, value in self._survey.hooks:
            if (dist, value) in self._hooked or dist in without or self.choice.blocked(dist):
                continue
            self._hooked.add((dist, value))
            try:
                name = f"{dist} hooks {value}" if self._plugins.has_plugin(dist) else dist
                add(self._plugins, load_object(value, dist), name)
            except BrokenPlugin as error:
                self._hook_troubles.append(Trouble(dist, "", error.message))
            self._gathered = None
        return self._plugins.hook

    def _gather(self) -> Gathered:
        if self._gathered is None:
            self._gathered = gather(self._plugins, self.choice)
            self._loaded |= self._gathered.classes
        return self._gathered


@cache
def current() -> Registry:
    """The registry of this process, read when first asked for, with what the user's configuration says."""
    return Registry(choice=configured())


def register(plugin: object, name: str | None = None) -> str:
    """Add a plugin object or module with hookimpls to this process's registry; see `Registry.register`.

    In a notebook: ``coachcore.register(plugin)``, where `plugin` has a method
    ``coach_filters`` marked `hookimpl` that returns the classes it offers.
    """
    return current().register(plugin, name)


def unregister(name: str) -> None:
    """Take out what `register` added under `name`."""
    current().unregister(name)


def hooks() -> Any:
    """The pluggy relay of this process, every hook plugin loaded: ``hooks().coach_run_start(run=...)``."""
    return current().hooks()
