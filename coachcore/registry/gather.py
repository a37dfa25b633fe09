"""Asking every plugin who is there, once, and marking what clashes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pluggy

from coachcore.errors import BrokenPlugin
from coachcore.registry.choice import Choice
from coachcore.registry.entry import Entry, Trouble
from coachcore.registry.hookspecs import DESCRIBE
from coachcore.registry.isolate import cause, isolated, load_object
from coachcore.registry.shelf import Shelf
from coachcore.specs import ComponentSpec


class Gathered(NamedTuple):
    """What all plugins answered together."""

    entries: tuple[Entry, ...]
    classes: dict[str, type]  # full id -> class, for parts that were handed over as classes
    presets: Shelf
    troubles: tuple[Trouble, ...]


def gather(plugins: pluggy.PluginManager, choice: Choice) -> Gathered:
    """Call every describing hook of every plugin, each in isolation; mark what is blocked, and what clashes."""
    entries: dict[str, Entry] = {}
    classes: dict[str, type] = {}
    troubles: list[Trouble] = []
    for kind, hook in DESCRIBE.items():
        for owner, offer in _offers(plugins, hook, troubles):
            entry = offer if isinstance(offer, Entry) else _entry(kind, owner, offer, troubles)
            if entry is None:
                continue
            if isinstance(offer, type):
                classes[entry.id] = offer
            entries.setdefault(entry.id, choice.applied(entry))
    ordered = sorted(entries.values(), key=lambda entry: (entry.spec.kind, entry.spec.name, entry.dist))
    folders = (_folder(owner, offer) for owner, offer in _offers(plugins, "coach_presets", troubles))
    shelf = Shelf(folder for owner, folder in folders if not choice.blocked(owner))
    return Gathered(tuple(_clashing(ordered, choice)), classes, shelf, tuple(troubles))


def _folder(owner: str, offer: Any) -> tuple[str, Path]:
    """Whose folder of presets it is, and the folder; the reader says the former with each."""
    return offer if isinstance(offer, tuple) else (owner, Path(offer))


def _offers(plugins: pluggy.PluginManager, hook: str, troubles: list[Trouble]) -> Iterator[tuple[str, Any]]:
    return ((owner, offer) for owner, offers in answers(getattr(plugins.hook, hook), troubles) for offer in offers)


def answers(
    caller: pluggy.HookCaller, troubles: list[Trouble], read: Callable[[Any], Any] = tuple
) -> Iterator[tuple[str, Any]]:
    """(plugin, its answer through `read`), one implementation at a time: a broken one must not silence the others."""
    for implementation in caller.get_hookimpls():
        owner = implementation.plugin_name
        try:
            with isolated(owner, f"asked ({caller.name})"):
                answer = read(implementation.function())
        except BrokenPlugin as error:
            troubles.append(Trouble(owner, "", error.message))
            continue
        yield owner, answer


def _entry(kind: str, owner: str, offer: Any, troubles: list[Trouble]) -> Entry | None:
    spec = getattr(offer, "__coach__", offer)
    if isinstance(spec, ComponentSpec) and spec.kind == kind:
        return Entry(spec, owner, "")
    found = f"a {spec.kind}" if isinstance(spec, ComponentSpec) else repr(offer)
    troubles.append(Trouble(owner, "", f"{DESCRIBE[kind]} should offer parts of kind {kind}, it offers {found}"))
    return None


def _clashing(entries: Iterable[Entry], choice: Choice) -> Iterator[Entry]:
    """The entries, those that share kind and name marked; nobody wins unless the user prefers one."""
    groups = defaultdict(list)
    for entry in entries:
        groups[entry.spec.kind, entry.spec.name].append(entry)
    for group in groups.values():
        for entry in group:
            others = ", ".join(other.id for other in group if other is not entry and other.state != "disabled")
            if others and entry.state == "ok" and choice.meant(group)[0] is None:
                yield entry._replace(
                    state="clash", problem=f"the name is also {others} - use the full id, or prefer or block one"
                )
            else:
                yield entry


def class_of(entry: Entry) -> type:
    """Import a part's class in isolation; raises `BrokenPlugin`, also when it is not the part it should be."""
    found = load_object(entry.spec.object, entry.id)
    spec = getattr(found, "__coach__", None)
    if not isinstance(found, type) or not isinstance(spec, ComponentSpec):
        raise BrokenPlugin(f"{entry.spec.object} is not a class marked by @component", where=entry.id)
    if (spec.kind, spec.name) != (entry.spec.kind, entry.spec.name):
        raise BrokenPlugin(
            f"{entry.spec.object} calls itself {spec.kind} '{spec.name}' - rename one of the two", where=entry.id
        )
    return found


def add(plugins: pluggy.PluginManager, plugin: object, name: str) -> None:
    """Register a plugin; raises `BrokenPlugin`, with nothing half registered, for hooks that do not exist."""
    try:
        plugins.register(plugin, name)
        plugins.check_pending()
    except (ValueError, TypeError, pluggy.PluginValidationError) as error:
        if plugins.has_plugin(name):
            plugins.unregister(name=name)
        raise BrokenPlugin(f"could not be registered - {cause(error)}", where=name) from None
