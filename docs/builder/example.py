"""A small preset for every part that has a place in one: written by hand where there is such a file, else by rule.

By rule, the part stands in the smallest surroundings that fit it: one of
`docs/examples/around/*.toml`, that of its distribution's name if there is one.
What needs others, or settings that a rule cannot know, lies in
`docs/examples/KIND/NAME.toml`, or in the folder ``examples`` of the part's own
distribution. Tests check and run them all.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from builder.fitting import actions, agents_asking, needs, slots, words
from builder.tree import EXAMPLES, ROOT, Part, text_of
from coachcore.cli.describe import PLACES, _sample  # what `coach describe` shows too
from coachcore.presets.writer import dump

AROUND = EXAMPLES / "around"
NETWORKED = ("agent", "head", "embedder", "middleware", "layer", "engine")
"""Kinds whose parts learn from networks, which those of the toys are none of."""
PLACED = ("filter", *PLACES)
"""Kinds whose parts stand in a preset."""


def example(part: Part) -> str:
    """The preset; empty where the kind stands in none."""
    for folder in (ROOT / "plugins" / part.entry.dist / "examples", EXAMPLES):
        if (folder / part.spec.kind / f"{part.spec.name}.toml").is_file():
            return text_of(folder / part.spec.kind / f"{part.spec.name}.toml").strip()
    return dump(_placed(part)).strip() if part.spec.kind in PLACED else ""


def _around(part: Part, acting: set[str], *, fresh: bool = False) -> dict[str, Any]:
    """The smallest whole preset for these actions: of the part's own distribution, of toys, or with networks."""
    name = "box" if "box" in acting and "discrete" not in acting else "discrete"
    fits_toys = part.spec.kind not in NETWORKED and name == "discrete" and not fresh
    name = "coach-toys" if fits_toys else f"{name}{'-fresh' if fresh else ''}"
    own = AROUND / f"{part.entry.dist}.toml"
    path = own if own.is_file() else AROUND / f"{name}.toml"
    return deepcopy(tomllib.loads(text_of(path)))


def _placed(part: Part) -> dict[str, Any]:
    """The part where it belongs."""
    spec = part.spec
    table = {"use": spec.name} | {param.name: _sample(param) for param in spec.params or () if param.required}
    if spec.kind == "head":
        return _head(part, table)
    if spec.kind == "agent":
        return _with_agent(part, table)
    place, acting = _BELOW.get(spec.kind, (spec.kind,)), actions(part)
    if spec.kind == "filter":
        what = words(spec.facts.get("acts_on", "observation"))[0]
        place, acting = ("filters", what), {"box"} if what == "action" else set()
    document = _around(part, acting, fresh=spec.kind == "memory" and bool(spec.facts.get("fresh")))
    return _put(document, place, [table] if spec.kind in ("filter", "recorder", "layer") else table)


_BELOW: Mapping[str, tuple[str, ...]] = {
    "recorder": ("recorders",),
    "schedule": ("exploration", "epsilon"),
    "embedder": ("agent", "network", "embedders", "observation"),
    "middleware": ("agent", "network", "middleware"),
    "layer": ("agent", "network", "middleware", "scheme"),
}


def _put(document: dict[str, Any], place: tuple[str, ...], table: Any) -> dict[str, Any]:
    inner = document
    for key in place[:-1]:
        inner = inner.setdefault(key, {"use": "dense"} if key == "middleware" else {})
    inner[place[-1]] = table
    return document


def _with_agent(agent: Part, table: Mapping[str, Any]) -> dict[str, Any]:
    """An agent with its own choice of networks; the learner is that of the surroundings."""
    document = _around(agent, actions(agent), fresh=needs(agent)["fresh"])
    learner = document["agent"].get("learner")
    document["agent"] = {**table, **({"learner": learner} if learner else {})}
    return document


def _head(head: Part, table: dict[str, Any]) -> dict[str, Any]:
    """A head in a slot of an agent that asks for it: one of few slots, and that has it by itself if there is one."""
    asking = agents_asking(head.spec.facts.get("provides", ""))
    agent, net, slot = min(asking, key=lambda found: (bool(found[1]), len(slots(found[0])), _other(head, *found)))
    place = ("agent", "networks", net, "heads", slot) if net else ("agent", "network", "heads", slot)
    return _put(_with_agent(agent, {"use": agent.spec.name}), place, table)


def _other(head: Part, agent: Part, net: str, slot: str) -> tuple[bool, int, str]:
    defaults = agent.spec.facts.get("defaults", {})
    own = (defaults.get(net, {}) if net else defaults).get("heads", {}).get(slot, {}).get("use")
    return own != head.spec.name, len(agent.spec.name), agent.spec.name
