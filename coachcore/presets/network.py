"""Checking `[agent.network]`, or each of `[agent.networks]`: the agent's own choice, changed by the preset, fitted to
the agent's slots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from coachcore.component import ParamSpec
from coachcore.errors import did_you_mean
from coachcore.presets import places
from coachcore.presets.layers import SLOTTED, merge
from coachcore.presets.positions import Path
from coachcore.presets.tables import Checked, Checker
from coachcore.presets.tree import DEFAULT, Node, Origin, path_text, rooted
from coachcore.presets.values import faults, tidied
from coachcore.presets.writer import key_text

if TYPE_CHECKING:
    from coachcore.registry.entry import Entry

_PARTS = ("embedders", "middleware", "heads")
_TABLES = ("agent", "networks")
_FACTOR = ParamSpec("factor", "float", ge=0)


def networks(checker: Checker, agent: Node, entry: Entry | None) -> dict[str, Node | None]:
    """``network``, or ``networks`` by name, with defaults filled in; None where these are no tables at all."""
    facts = entry.spec.facts if entry else None
    many = places.several(facts or {})
    owner = f"agent '{entry.spec.name}'" if entry else "the agent"
    given = agent.value.get("networks")
    if many or (many is None and given is not None):
        return {"networks": _several(checker, agent, facts, owner)}
    if given is not None:
        checker.wrong(given.key, f"{owner} has one network - write [agent.network] instead of [agent.networks]")
    wanted = _Wanted(checker, ("agent", "network"), owner, facts and _one(facts))
    return {"network": wanted.checked(agent.value.get("network"), agent.key)}


def _several(checker: Checker, agent: Node, facts: Mapping[str, Any] | None, owner: str) -> Node | None:
    given = agent.value.get("networks", Node({}, agent.origin, agent.key))
    if not checker.is_table(given, "agent.networks"):
        return None
    known = facts if facts and "slots" in facts else None
    names = tuple(given.value) if known is None else places.named(known)
    single = agent.value.get("network")
    if single is not None:
        tables = ", ".join(f"[{path_text((*_TABLES, name))}]" for name in names)
        checker.wrong(single.key, f"{owner} has several networks - write {tables} instead of [agent.network]")
    for name, node in given.value.items():
        if name not in names:
            checker.wrong(node.key, f"{owner} has no network '{name}' - {did_you_mean(name, names)}")
    out: dict[str, Node | None] = {}
    for name in names:
        inner = facts if known is None else _of(known, name)
        wanted = _Wanted(checker, (*_TABLES, name), f"network '{name}' of {owner}", inner)
        out[name] = wanted.checked(given.value.get(name), given.key)
    return Node({name: node for name, node in out.items() if node is not None}, given.origin, given.key)


def _one(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """What an agent says of its only network, whose name is ``main``."""
    return {**facts, "inputs": facts.get("inputs", {}).get("main", ())}


def _of(facts: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """What an agent of several networks says of one of them; ``others`` are inputs that only its sisters have."""
    inputs: Mapping[str, Any] = facts.get("inputs", {})
    own = tuple(inputs.get(name, ()))
    return {
        "slots": facts["slots"].get(name, {}),
        "defaults": facts.get("defaults", {}).get(name, {}),
        "free": name in facts.get("free", ()),
        "inputs": own,
        "others": {extra for names in inputs.values() for extra in names if extra not in own},
    }


def _defaults(facts: Mapping[str, Any], given: Node | None) -> Mapping[str, Any]:
    """The agent's own choice; what it embeds gives way where the preset names other observations."""
    defaults: Mapping[str, Any] = facts.get("defaults", {})
    usual, named = defaults.get("embedders", {}), given and given.value.get("embedders")
    if not named or not isinstance(named.value, dict) or set(named.value) <= set(usual):
        return defaults
    kept = {*named.value, *facts.get("inputs", ())}
    return {**defaults, "embedders": {name: part for name, part in usual.items() if name in kept}}


class _Wanted(NamedTuple):
    """One network: the table it stands in, whose it is, and what the agent says of it (None: nothing is known)."""

    checker: Checker
    path: Path
    owner: str
    facts: Mapping[str, Any] | None

    @property
    def table(self) -> str:
        return path_text(self.path)

    def checked(self, given: Node | None, above: Origin) -> Node | None:
        """Its tables with defaults filled in; problems with what is left out are told at `above` or its own key."""
        facts = self.facts or {}
        if given is not None and not self.checker.is_table(given, self.table):
            return None
        node = rooted(_defaults(facts, given), Origin(DEFAULT, f"default of {self.owner}"))
        if given is not None:
            node = merge(node, given, self.checker.registry, self.path)
        if facts.get("free"):
            return Node(self.checker.settings(node, places.FREE, self.table), node.origin, node.key)
        place = above if given is None else given.key
        inner = self._parts(node, place)
        return Node(inner | self._settings(node), node.origin, node.key)

    def _parts(self, node: Node, place: Origin) -> dict[str, Node]:
        heads, embedders = self._several(node, "heads", "head"), self._several(node, "embedders", "embedder")
        if self.facts is not None:
            self._needs(node, place, self.facts)
            self._slots(node, heads, place)
        middleware = node.value.get("middleware")
        out = {"embedders": _table(embedders, node), "heads": _table(heads, node)}
        if middleware is not None and self.checker.is_table(middleware, f"{self.table}.middleware"):
            part = self.checker.part(middleware, "middleware").node
            out |= {} if part is None else {"middleware": part}
        return {key: out[key] for key in _PARTS if key in out}

    def _several(self, network: Node, name: str, kind: str) -> dict[str, Checked]:
        table = network.value.get(name)
        if table is None or not self.checker.is_table(table, f"{self.table}.{name}"):
            return {}
        return {
            key: self.checker.part(node, kind)
            for key, node in table.value.items()
            if self.checker.is_table(node, f"{self.table}.{name}.{key_text(key)}")
        }

    def _needs(self, node: Node, place: Origin, facts: Mapping[str, Any]) -> None:
        embedders = node.value.get("embedders")
        if embedders is None:
            hint = f'add embedders.observation = {{ use = "..." }} to {self.table}'
            self.checker.wrong(place, f"{self.owner} needs an embedder for each observation - {hint}")
        elif isinstance(embedders.value, dict):
            self._inputs(embedders, place, facts)
        if "middleware" not in node.value:
            hint = f'add middleware = {{ use = "..." }} to {self.table}'
            self.checker.wrong(place, f"{self.owner} needs a middleware - {hint}")

    def _inputs(self, embedders: Node, place: Origin, facts: Mapping[str, Any]) -> None:
        """Inputs besides observations: each has an embedder here, and in no network that lacks the input."""
        for name in facts.get("inputs", ()):
            if name not in embedders.value:
                hint = f'add embedders.{name} = {{ use = "..." }} to {self.table}'
                self.checker.wrong(place, f"{self.owner} needs an embedder for its input '{name}' - {hint}")
        for name in facts.get("others", ()):
            if name in embedders.value:
                hint = f"take embedders.{name} out of {self.table}"
                self.checker.wrong(embedders.value[name].key, f"{self.owner} has no input '{name}' - {hint}")

    def _slots(self, network: Node, heads: Mapping[str, Checked], place: Origin) -> None:
        """Every slot of the agent is filled, with a head that provides what the slot asks for."""
        slots = (self.facts or {}).get("slots")
        if slots is None:
            return
        for slot, head in heads.items():
            node = network.value["heads"].value[slot]
            if slot not in slots:
                self._no_slot(node, slot, slots)
            elif head.entry is not None and not _provides(head.entry, slots[slot]):
                self.checker.wrong(node.value["use"].origin, _misfit(self.checker, head.entry, slot, slots[slot]))
        table = network.value.get("heads")
        for slot, wanted in slots.items():
            if table is None or (isinstance(table.value, dict) and slot not in table.value):
                hint = _providers(self.checker, wanted)
                self.checker.wrong(place, f"{self.owner} needs a head for its slot '{slot}' - {hint}")

    def _no_slot(self, node: Node, slot: str, slots: Mapping[str, Any]) -> None:
        self.checker.wrong(node.key, f"{self.owner} has no head slot '{slot}' - {did_you_mean(slot, slots)}")

    def _settings(self, node: Node) -> dict[str, Node]:
        """What stands beside the parts; two of its tables give a number to head slots."""
        out = self.checker.settings(node, places.NETWORK, self.table, _PARTS)
        return {key: self._factors(item, key) if key in SLOTTED else item for key, item in out.items()}

    def _factors(self, table: Node, name: str) -> Node:
        slots = (self.facts or {}).get("slots")
        out: dict[str, Node] = {}
        if not isinstance(table.value, dict):
            return table  # no table: that was told
        for slot, node in table.value.items():
            kind, wrong = faults(node, _FACTOR, f"{name}.{key_text(slot)}")
            for fault in wrong:
                self.checker.wrong(fault.node.origin, fault.message)
            if slots is not None and slot not in slots:
                self._no_slot(node, slot, slots)
            elif not wrong:
                out[slot] = Node(tidied(node.value, kind), node.origin, node.key)
        return Node(out, table.origin, table.key)


def _table(parts: Mapping[str, Checked], above: Node) -> Node:
    return Node({key: part.node for key, part in parts.items() if part.node is not None}, above.origin, above.key)


def _alternatives(wanted: Any) -> tuple[str, ...]:
    """What a slot asks for: one thing, or any of several."""
    return (wanted,) if isinstance(wanted, str) else tuple(wanted)


def _provides(head: Entry, wanted: Any) -> bool:
    """Also of a head that nothing is known about, because it has no manifest: the run will tell."""
    return head.spec.params is None or head.spec.facts.get("provides") in _alternatives(wanted)


def _misfit(checker: Checker, head: Entry, slot: str, wanted: Any) -> str:
    provides, needs = head.spec.facts.get("provides", "nothing"), " or ".join(_alternatives(wanted))
    return f"head '{head.spec.name}' provides {provides}, slot '{slot}' needs {needs} - {_providers(checker, wanted)}"


def _providers(checker: Checker, wanted: Any) -> str:
    able = _alternatives(wanted)
    names = sorted(e.spec.name for e in checker.registry.entries("head") if e.spec.facts.get("provides") in able)
    return f"heads that provide it: {', '.join(names)}" if names else f"no installed head provides {' or '.join(able)}"
