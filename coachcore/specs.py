"""Parts as data: what the manifest, the checker, the schema and the docs read. Standard library only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

API = (1, 0)
"""Version of everything in `coachcore.api` and of the hook specs: (major, minor)."""

KINDS = {
    "filter": "coach.filters",
    "exploration": "coach.exploration",
    "layer": "coach.layers",
    "embedder": "coach.embedders",
    "middleware": "coach.middlewares",
    "head": "coach.heads",
    "memory": "coach.memories",
    "agent": "coach.agents",
    "environment": "coach.environments",
    "schedule": "coach.schedules",
    "engine": "coach.engines",
    "store": "coach.stores",
    "transport": "coach.transports",
    "orchestrator": "coach.orchestrators",
    "recorder": "coach.recorders",
    "evaluator": "coach.evaluators",
}
"""Kind of part -> entry-point group."""


class ParamSpec(NamedTuple):
    """One setting of a part, as data: what the manifest, the checker, the schema and the docs read."""

    name: str
    type: str  # float int bool str duration table schedule or a kind; "x[]" for a list; joined by " | "
    required: bool = False
    default: Any = None
    doc: str = ""
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    choices: tuple[str, ...] = ()
    unit: str = ""
    deprecated: str = ""  # since when, until when, and what to use instead


class ComponentSpec(NamedTuple):
    """One part, as data; equal to its manifest form."""

    kind: str
    name: str
    object: str  # "package.module:Class"
    summary: str = ""
    aliases: tuple[str, ...] = ()
    since: str = "0.1"
    stability: str = "stable"
    needs: tuple[str, ...] = ()  # importable packages it cannot do without
    facts: Mapping[str, Any] = {}  # never changed: acts_on, provides, slots, ...
    params: tuple[ParamSpec, ...] | None = ()  # None: not described (no manifest)
