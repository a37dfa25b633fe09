"""Checking one table at a time: the settings of a part, or of the run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import attrs

from coachcore.component import ParamSpec, complaint, range_text
from coachcore.errors import CoachError, did_you_mean
from coachcore.presets import places
from coachcore.presets.layers import merge
from coachcore.presets.problems import Problem
from coachcore.presets.tree import DEFAULT, Node, Origin, plain, rooted
from coachcore.presets.values import example, faults, items_of, part_kind, tidied
from coachcore.presets.writer import told

if TYPE_CHECKING:
    from coachcore.registry.entry import Entry
    from coachcore.registry.registry import Registry


class Checked(NamedTuple):
    """A part's table with defaults filled in, and the part it names; None where these are not known."""

    node: Node | None
    entry: Entry | None


@attrs.define
class Checker:
    """Checks tables against the registry; collects problems instead of stopping at the first."""

    registry: Registry
    root: Node
    found: list[Problem] = attrs.field(factory=list)

    def wrong(self, origin: Origin, message: str) -> None:
        """Note a problem; one in a default is told where the preset begins."""
        if origin.layer == DEFAULT:
            message = f"{origin.file}: {message}"
            origin = self.root.origin
        self.found.append(Problem(origin, message))

    def settings(
        self, table: Node, specs: Sequence[ParamSpec], owner: str, extra: Iterable[str] | None = ()
    ) -> dict[str, Node]:
        """The settings of a table, checked, defaults filled in. `extra` keys are no business
        of `specs`; None: the table's other keys are checked elsewhere."""
        if extra is not None:
            self.unknown(table.value, [*(spec.name for spec in specs), *extra], owner)
        given = {spec.name: self.setting(table, spec, owner) for spec in specs}
        return {name: node for name, node in given.items() if node is not None}

    def setting(self, table: Node, spec: ParamSpec, owner: str) -> Node | None:
        """One setting of a table, checked, with the parts it holds; None where it is left out and has no default."""
        node = table.value.get(spec.name)
        if node is None and spec.required:
            about = f" ({spec.doc})" if spec.doc else ""
            self.wrong(table.key, f"{owner} needs '{spec.name}'{about} - {example(spec)}")
        if spec.default is not None:
            default = rooted(spec.default, Origin(DEFAULT, f"default of {owner}"))
            node = default if node is None else self._over(default, node, spec)
        if node is None:
            return None
        wrong = faults(node, spec)[1]
        for fault in wrong:
            self.wrong(fault.node.origin, fault.message)
        if wrong:  # parts inside a list are checked even so
            sound = node.value if isinstance(node.value, list) else []
            node = Node([item for item in sound if isinstance(item.value, dict)], node.origin, node.key)
        return self._inside(node, spec)

    def _over(self, default: Node, node: Node, spec: ParamSpec) -> Node:
        """A table without `use` changes some settings of the part that is the default."""
        partial = isinstance(node.value, dict) and "use" not in node.value and part_kind(spec) is not None
        return merge(default, node, self.registry) if partial and isinstance(default.value, dict) else node

    def _inside(self, node: Node, spec: ParamSpec) -> Node | None:
        """The value with the parts and settings it holds checked in turn."""
        kind, one, name = part_kind(spec), items_of(spec), faults(node, spec)[0]
        if isinstance(node.value, list) and one is not None:
            items = [self._inside(item, one) for item in node.value]
            return Node([item for item in items if item is not None], node.origin, node.key)
        if isinstance(node.value, dict) and name == "evaluate":
            return Node(self.settings(node, places.EVALUATE, "schedule.evaluate"), node.origin, node.key)
        if isinstance(node.value, dict) and kind is not None:
            part = self.part(node, kind).node
            if kind == "schedule" and part is not None:
                self._hold(part, spec, "")
            return part
        return node if isinstance(node.value, dict) else Node(tidied(node.value, name), node.origin, node.key)

    def _hold(self, node: Node, spec: ParamSpec, label: str) -> None:
        """What a schedule says are its `values` is held to the bounds of the setting `spec` that it stands for."""
        if isinstance(node.value, dict) and "use" in node.value:
            facts = self.registry.resolve("schedule", node.value["use"].value).spec.facts
            for name in node.value.keys() & set(facts.get("values", ())):
                self._hold(node.value[name], spec, name)
        for item in node.value if isinstance(node.value, list) else ():
            self._hold(item, spec, label)
        if complaint(node.value, spec._asdict()):
            text = f"{label}: {plain(node)} is out of range for {spec.name} - must be {range_text(spec._asdict())}"
            self.wrong(node.origin, text)

    def section(self, table: Node, name: str, specs: Sequence[ParamSpec], owner: str) -> Node | None:
        """A table of settings; where it is absent the defaults, or nothing when some have none."""
        node = table.value.get(name)
        if node is None:
            if any(spec.required for spec in specs):
                return None
            node = rooted({}, Origin(DEFAULT, f"default of {owner}"))
        if not self.is_table(node, owner):
            return None
        return Node(self.settings(node, specs, owner), node.origin, node.key)

    def unknown(
        self, table: Mapping[str, Node], known: Iterable[str], owner: str, renamed: Mapping[str, str] | None = None
    ) -> None:
        """Note every key of `table` that is not among `known`, with its new name or the nearest that is."""
        allowed = tuple(known)
        names = [name for name in allowed if name != "use"]
        for key, node in table.items():
            if key not in allowed:
                hint = did_you_mean(key, names) if names else "it takes none"
                hint = f"it is called '{renamed[key]}' now" if renamed and key in renamed else hint
                self.wrong(node.key, f"{owner} has no setting '{key}' - {hint}")

    def is_table(self, node: Node, name: str) -> bool:
        """Whether `node` is a table; notes a problem where it is not."""
        if isinstance(node.value, dict):
            return True
        value = plain(node)
        hint = f" such as {name} = {{ use = {told(value)} }}" if isinstance(value, str) else ""
        self.wrong(node.origin, f"{name} must be a table{hint}, got {told(value)}")
        return False

    def part(self, node: Node, kind: str, extra: tuple[str, ...] = ()) -> Checked:
        """A table with `use`: the part named is there, and its settings are sound."""
        entry = self._entry(node, kind)
        if entry is None:
            return Checked(None, None)
        use = node.value["use"]
        try:
            specs = self.registry.params(entry)
        except CoachError as error:
            self.wrong(use.origin, str(error))
            return Checked(None, entry)
        owner, known = f"{kind} '{entry.spec.name}'", [*(spec.name for spec in specs), "use", *extra]
        self.unknown(node.value, known, owner, entry.spec.facts.get("renamed"))
        given = self.settings(node, specs, owner, None)
        named = Node(self._name(use.value, entry), use.origin, use.key)
        return Checked(Node({"use": named, **given}, node.origin, node.key), entry)

    def _entry(self, node: Node, kind: str) -> Entry | None:
        use = node.value.get("use")
        if use is None:
            self.wrong(node.key, f"`use` is missing: which {kind}? - {did_you_mean('', self.names(kind))}")
            return None
        if not isinstance(use.value, str):
            self.wrong(use.origin, f"use: expected the name of a {kind}, got {told(plain(use))}")
            return None
        try:
            entry = self.registry.resolve(kind, use.value)
        except CoachError as error:
            self.wrong(use.origin, error.message)
            return None
        if entry.state not in ("ok", "clash"):  # a clash is settled by the full id
            self.wrong(use.origin, f"{kind} '{entry.spec.name}' of {entry.dist} cannot be used: {entry.problem}")
            return None
        return entry

    def names(self, kind: str) -> list[str]:
        return [entry.spec.name for entry in self.registry.entries(kind)]

    def _name(self, written: str, entry: Entry) -> str:
        """The part's own name for an alias; the full id where the name has to be told from another's."""
        return written if "/" in written else self.registry.unmistakable(entry)
