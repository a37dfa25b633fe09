"""From a sound preset to frozen parts; here, and not before, plugins are imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from coachcore.component import ParamSpec
from coachcore.errors import CoachError
from coachcore.presets import places
from coachcore.presets.positions import Path
from coachcore.presets.preset import Preset, or_installed
from coachcore.presets.problems import PresetProblems, Problem
from coachcore.presets.tree import Node, Origin, path_text, plain, rooted
from coachcore.presets.values import part_kind
from coachcore.settings import (
    CheckpointSettings,
    EvaluateSettings,
    LearnerSettings,
    NetworkSettings,
    ScheduleSettings,
    ValidationSettings,
)

if TYPE_CHECKING:
    from coachcore.contracts.experiment import Experiment, NetworkParts
    from coachcore.registry.registry import Registry

_FAULTS = (CoachError, ValueError, TypeError, ArithmeticError, LookupError, AttributeError)
"""What a part's own validators may raise: they belong to plugins, so more than `BadSetting`."""


def build(preset: Preset, registry: Registry | None = None) -> Experiment:
    """Every part of `preset`, made; nothing is opened or compiled yet.

    Raises `PresetProblems` with every value that a part itself refuses, and
    with every part that cannot be imported.
    """
    from coachcore.contracts.experiment import Experiment, Filters

    maker = _Maker(or_installed(registry))
    tables: dict[str, Node] = preset.tree.value
    agent: dict[str, Node] = tables["agent"].value
    main = {kind: maker.part(tables[kind], kind, (kind,)) for kind in places.PARTS}
    given: dict[str, Any] = {
        "networks": maker.networks(agent),
        "learner": maker.settings(LearnerSettings, agent["learner"], places.LEARNER, ("agent", "learner")),
        "filters": maker.filters(tables.get("filters")),
        "recorders": maker.recorders(tables.get("recorders")),
        "store": maker.part(tables["store"], "store", ("store",)) if "store" in tables else None,
    }
    for name, cls in _RUN.items():
        table = tables.get(name)
        given[name] = None if table is None else maker.settings(cls, table, places.RUN[name], (name,))
    if maker.found:
        raise PresetProblems(maker.found)
    given["filters"] = Filters(**given["filters"])
    count = tables["environment"].value["count"].value
    seed = tables["seed"].value
    return Experiment(name=preset.name, document=preset.resolved, seed=seed, environments=count, **main, **given)


def build_part(table: Mapping[str, Any], kind: str, registry: Registry | None = None) -> Any:
    """One part from its table in a resolved preset, as plain data; raises `PresetProblems`."""
    maker = _Maker(or_installed(registry))
    part = maker.part(rooted(table, Origin("data", kind)), kind, (kind,))
    if maker.found:
        raise PresetProblems(maker.found)
    return part


_RUN: dict[str, type] = {
    "schedule": ScheduleSettings,
    "checkpoint": CheckpointSettings,
    "validation": ValidationSettings,
}


@attrs.define
class _Maker:
    """Makes parts from checked tables; collects what parts refuse."""

    registry: Registry
    found: list[Problem] = attrs.field(factory=list)

    def part(self, table: Node, kind: str, path: Path) -> Any:
        """One part, parts inside it first; None, and a problem noted, where it refuses."""
        use = table.value["use"]
        try:
            entry = self.registry.resolve(kind, use.value)
            cls, specs = self.registry.load(kind, use.value), self.registry.params(entry)
        except CoachError as error:
            self.found.append(Problem(use.origin, f"{path_text(path)}: {error.message}"))
            return None
        return self.settings(cls, table, specs, path)

    def settings(self, cls: type, table: Node, specs: tuple[ParamSpec, ...], path: Path) -> Any:
        """An attrs class made from the settings of `table`."""
        before = len(self.found)
        known = {spec.name: spec for spec in specs if spec.name in table.value}
        given = {name: self._value(table.value[name], spec, (*path, name)) for name, spec in known.items()}
        if len(self.found) > before:
            return None
        try:
            return cls(**given)
        except _FAULTS as error:
            self._refused(error, table, path)
            return None

    def _value(self, node: Node, spec: ParamSpec, path: Path) -> Any:
        kind = part_kind(spec)
        if isinstance(node.value, list):
            return tuple(self._value(item, spec, (*path, index)) for index, item in enumerate(node.value))
        if isinstance(node.value, dict) and spec.type == "evaluate":
            return self.settings(EvaluateSettings, node, places.EVALUATE, path)
        if isinstance(node.value, dict) and kind is not None and "use" in node.value:
            return self.part(node, kind, path)
        return plain(node)

    def _refused(self, error: Exception, table: Node, path: Path) -> None:
        """Point at the setting that the error names, else at the part."""
        where, message = "", str(error)
        if isinstance(error, CoachError):
            where, message = error.where.rpartition(".")[2], error.message
        origin: Origin = table.value[where].origin if where in table.value else table.key
        spot = (*path, where) if where in table.value else path
        self.found.append(Problem(origin, f"{path_text(spot)}: {message}"))

    def networks(self, agent: Mapping[str, Node]) -> dict[str, NetworkParts]:
        """Every network by its name; the only one of an agent is ``main``."""
        if "network" in agent:
            return {"main": self._network(agent["network"], ("agent", "network"))}
        tables: dict[str, Node] = agent["networks"].value
        return {name: self._network(node, ("agent", "networks", name)) for name, node in tables.items()}

    def _network(self, table: Node, path: Path) -> NetworkParts:
        """One network; of one without parts there are only settings."""
        from coachcore.contracts.experiment import NetworkParts

        parts: dict[str, Any] = {}
        if "middleware" in table.value:
            parts["middleware"] = self.part(table.value["middleware"], "middleware", (*path, "middleware"))
            parts["embedders"] = self.several(table.value["embedders"], "embedder", (*path, "embedders"))
            parts["heads"] = self.several(table.value["heads"], "head", (*path, "heads"))
        return NetworkParts(**parts, settings=self.settings(NetworkSettings, table, places.NETWORK, path))

    def several(self, table: Node, kind: str, path: Path) -> Mapping[str, Any]:
        return {key: self.part(node, kind, (*path, key)) for key, node in table.value.items()}

    def filters(self, table: Node | None) -> dict[str, Any]:
        """The three pipelines, as `contracts.experiment.Filters` takes them."""
        made: dict[str, Any] = {"observation": {}}
        for name, items in table.value.items() if table is not None else ():
            parts = tuple(self.part(node, "filter", ("filters", name, i)) for i, node in enumerate(items.value))
            if name in ("reward", "action"):
                made[name] = parts
            else:
                made["observation"][name] = parts
        return made

    def recorders(self, table: Node | None) -> dict[str, Any]:
        """Recorders by their part's name."""
        items = table.value if table is not None else []
        return {node.value["use"].value: self.part(node, "recorder", ("recorders", i)) for i, node in enumerate(items)}
