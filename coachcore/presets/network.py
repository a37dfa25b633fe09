"""Checking `[agent.network]`: the agent's own choice, changed by the preset, fitted to the agent's slots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from coachcore.errors import did_you_mean
from coachcore.presets.layers import merge
from coachcore.presets.tables import Checked, Checker
from coachcore.presets.tree import DEFAULT, Node, Origin, rooted
from coachcore.presets.writer import key_text

if TYPE_CHECKING:
    from coachcore.registry.entry import Entry

_KEYS = ("embedders", "middleware", "heads")
_HERE = ("agent", "network")


def network(checker: Checker, agent: Node, entry: Entry | None) -> Node | None:
    """The network tables with defaults filled in; None where they are no tables at all."""
    facts: Mapping[str, Any] = entry.spec.facts if entry else {}
    owner = f"agent '{entry.spec.name}'" if entry else "the agent"
    given = agent.value.get("network")
    if given is not None and not checker.is_table(given, "agent.network"):
        return None
    node = rooted(facts.get("defaults", {}), Origin(DEFAULT, f"default of {owner}"))
    if given is not None:
        node = merge(node, given, checker.registry, _HERE)
    checker.unknown(node.value, _KEYS, "agent.network")
    place = agent.key if given is None else given.key
    heads = _parts(checker, node, "heads", "head")
    embedders = _parts(checker, node, "embedders", "embedder")
    if entry is not None:
        _needs(checker, node, place, owner)
        _slots(checker, node, heads, (facts.get("slots"), owner, place))
    middleware = _middleware(checker, node)
    inner = {"embedders": _table(embedders, node), "middleware": middleware, "heads": _table(heads, node)}
    return Node({key: item for key, item in inner.items() if item is not None}, node.origin, node.key)


def _needs(checker: Checker, node: Node, place: Origin, owner: str) -> None:
    if "embedders" not in node.value:
        hint = 'add embedders.observation = { use = "..." }'
        checker.wrong(place, f"{owner} needs an embedder for each observation - {hint} to agent.network")
    if "middleware" not in node.value:
        checker.wrong(place, f'{owner} needs a middleware - add middleware = {{ use = "..." }} to agent.network')


def _middleware(checker: Checker, node: Node) -> Node | None:
    table = node.value.get("middleware")
    if table is None or not checker.is_table(table, "agent.network.middleware"):
        return None
    return checker.part(table, "middleware").node


def _parts(checker: Checker, network: Node, name: str, kind: str) -> dict[str, Checked]:
    table = network.value.get(name)
    if table is None or not checker.is_table(table, f"agent.network.{name}"):
        return {}
    return {
        key: checker.part(node, kind)
        for key, node in table.value.items()
        if checker.is_table(node, f"agent.network.{name}.{key_text(key)}")
    }


def _table(parts: Mapping[str, Checked], above: Node) -> Node:
    return Node({key: part.node for key, part in parts.items() if part.node is not None}, above.origin, above.key)


def _slots(
    checker: Checker, network: Node, heads: Mapping[str, Checked], wanted: tuple[Mapping[str, str] | None, str, Origin]
) -> None:
    """Every slot of the agent is filled, with a head that provides what the slot asks for."""
    slots, owner, place = wanted
    if slots is None:
        return
    for slot, head in heads.items():
        node = network.value["heads"].value[slot]
        if slot not in slots:
            checker.wrong(node.key, f"{owner} has no head slot '{slot}' - {did_you_mean(slot, slots)}")
        elif head.entry is not None and not _provides(head.entry, slots[slot]):
            checker.wrong(node.value["use"].origin, _misfit(checker, head.entry, slot, slots[slot]))
    for slot in slots:
        table = network.value.get("heads")
        if table is None or (isinstance(table.value, dict) and slot not in table.value):
            checker.wrong(place, f"{owner} needs a head for its slot '{slot}' - {_providers(checker, slots[slot])}")


def _provides(head: Entry, wanted: str) -> bool:
    """Also of a head that nothing is known about, because it has no manifest: the run will tell."""
    return head.spec.params is None or head.spec.facts.get("provides") == wanted


def _misfit(checker: Checker, head: Entry, slot: str, wanted: str) -> str:
    provides = head.spec.facts.get("provides", "nothing")
    return f"head '{head.spec.name}' provides {provides}, slot '{slot}' needs {wanted} - {_providers(checker, wanted)}"


def _providers(checker: Checker, wanted: str) -> str:
    entries = checker.registry.entries("head")
    names = sorted(entry.spec.name for entry in entries if entry.spec.facts.get("provides") == wanted)
    return f"heads that provide it: {', '.join(names)}" if names else f"no installed head provides {wanted}"
