"""Checking a preset against what is installed: every error in one pass, no plugin imported."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from coachcore.errors import CoachError, did_you_mean
from coachcore.presets import places
from coachcore.presets.fit import fit
from coachcore.presets.layers import merge
from coachcore.presets.network import networks
from coachcore.presets.problems import Problem
from coachcore.presets.tables import Checked, Checker
from coachcore.presets.tree import DEFAULT, Node, Origin, path_text, plain, rooted
from coachcore.presets.writer import told

if TYPE_CHECKING:
    from coachcore.registry.entry import Entry
    from coachcore.registry.registry import Registry


def check(root: Node, registry: Registry) -> tuple[Node, list[Problem]]:
    """The tree with every default filled in, and everything that is wrong with it.

    Where there are problems the tree lacks the values they concern.
    """
    checker = Checker(registry, root)
    checker.unknown(root.value, places.TOP, "a preset")
    out: dict[str, Node | None] = {**checker.settings(root, places.HEAD, "a preset", None)}
    checker.found += newer(root)
    entries: dict[str, Entry | None] = {}
    for kind in places.PARTS:
        out[kind], entries[kind] = _main_part(checker, kind)
    agent = out["agent"]
    fit(checker, {**out, "learner": agent and agent.value.get("learner")}, entries)
    out["filters"] = _filters(checker)
    for name, specs in places.RUN.items():
        out[name] = checker.section(root, name, specs, name)
    out["recorders"] = _recorders(checker)
    for kind in places.OPTIONAL:
        node = root.value.get(kind)
        if node is not None and checker.is_table(node, kind):
            out[kind] = checker.part(node, kind).node
    return Node({key: node for key, node in out.items() if node is not None}, root.origin, root.key), checker.found


def default_recorders(registry: Registry) -> Node:
    """The lowest layer: whichever of the usual recorders are installed."""
    names: list[str] = []
    for name in places.DEFAULT_RECORDERS:
        try:
            entry = registry.resolve("recorder", name)
        except CoachError:
            continue  # a preset that names none makes do without
        if entry.state == "ok":
            names.append(entry.spec.name)
    return rooted([{"use": name} for name in names], Origin(DEFAULT, "default recorders"))


def newer(tree: Node) -> list[Problem]:
    """A layer written for a later format than this Coach reads."""
    node = tree.value.get("coach")
    if node is None or not isinstance(node.value, int) or node.value <= places.FORMAT:
        return []
    message = f"coach: format {node.value} is newer than this Coach reads ({places.FORMAT}) - update coachcore"
    return [Problem(node.origin, message)]


def _main_part(checker: Checker, kind: str) -> Checked:
    """One of the five tables that hold a part each, with what stands beside the part's settings."""
    node = checker.root.value.get(kind)
    if kind == "engine" and (node is None or isinstance(node.value, dict)):
        default = rooted({"use": places.DEFAULT_ENGINE}, Origin(DEFAULT, "default engine"))
        node = default if node is None else merge(default, node, checker.registry, (kind,))
    if node is None:
        message = f'the table [{kind}] is missing - add it with use = "..."; {did_you_mean("", checker.names(kind))}'
        checker.wrong(checker.root.origin, message)
        return Checked(None, None)
    if not checker.is_table(node, kind):
        return Checked(None, None)
    part, entry = checker.part(node, kind, places.RESERVED.get(kind, ()))
    beside = {key: item for key, item in _beside(checker, node, kind, entry).items() if item is not None}
    return Checked(None if part is None else Node(part.value | beside, part.origin, part.key), entry)


def _beside(checker: Checker, node: Node, kind: str, entry: Entry | None) -> dict[str, Node | None]:
    if kind == "environment":
        return {"count": checker.setting(node, places.COUNT, "environment")}
    if kind == "agent":
        learner = checker.section(node, "learner", places.LEARNER, "agent.learner")
        return networks(checker, node, entry) | {"learner": learner}
    return {}


def _filters(checker: Checker) -> Node | None:
    node = checker.root.value.get("filters")
    if node is None or not checker.is_table(node, "filters"):
        return None
    out = {name: _pipeline(checker, name, items) for name, items in node.value.items()}
    return Node({name: items for name, items in out.items() if items.value}, node.origin, node.key)


def _pipeline(checker: Checker, name: str, items: Node) -> Node:
    wanted = name if name in ("reward", "action") else "observation"
    kept = []
    for item in _tables(checker, items, ("filters", name)):
        part, entry = checker.part(item, "filter")
        if entry is not None and wanted not in _listed(entry.spec.facts.get("acts_on", wanted)):
            message = f"filter '{entry.spec.name}' acts on {_said(entry)}, not on {wanted}s"
            checker.wrong(item.value["use"].origin, f"{message} - filters that do: {_fitting(checker, wanted)}")
        if part is not None:
            kept.append(part)
    return Node(kept, items.origin, items.key)


def _tables(checker: Checker, items: Node, path: tuple[str, ...]) -> Iterator[Node]:
    """The tables of an array of tables."""
    header = path_text(path)
    if not isinstance(items.value, list):
        got = told(plain(items))
        checker.wrong(items.key, f"{header} must be an array of tables, got {got} - write [[{header}]]")
        return
    yield from (item for index, item in enumerate(items.value) if checker.is_table(item, f"{header}[{index}]"))


def _fitting(checker: Checker, wanted: str) -> str:
    entries = checker.registry.entries("filter")
    return ", ".join(sorted(e.spec.name for e in entries if wanted in _listed(e.spec.facts.get("acts_on")))) or "none"


def _listed(acts_on: Any) -> tuple[str, ...]:
    return (acts_on,) if isinstance(acts_on, str) else tuple(acts_on or ())


def _said(entry: Entry) -> str:
    return " and ".join(f"{word}s" for word in _listed(entry.spec.facts["acts_on"]))


def _recorders(checker: Checker) -> Node:
    node = checker.root.value.get("recorders") or default_recorders(checker.registry)
    kept: dict[str, Node] = {}
    for item in _tables(checker, node, ("recorders",)):
        part, entry = checker.part(item, "recorder")
        if part is None or entry is None:
            continue
        if entry.id in kept:
            checker.wrong(item.value["use"].origin, f"recorder '{entry.spec.name}' is listed twice - keep one")
        kept[entry.id] = part
    return Node(list(kept.values()), node.origin, node.key)
