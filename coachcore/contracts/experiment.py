"""A preset, resolved and built: everything a run needs, as frozen parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from coachcore.contracts.agent import Agent
from coachcore.contracts.engine import Engine
from coachcore.contracts.environment import Environment
from coachcore.contracts.exploration import ExplorationPolicy
from coachcore.contracts.filter import Filter
from coachcore.contracts.memory import Memory
from coachcore.contracts.recorder import Recorder
from coachcore.contracts.store import Store
from coachcore.settings import (
    CheckpointSettings,
    LearnerSettings,
    NetworkSettings,
    ScheduleSettings,
    ValidationSettings,
)


@attrs.frozen(kw_only=True)
class NetworkParts:
    """`[agent.network]` or one of `[agent.networks]`, built: embedders by input name, one middleware, heads by slot."""

    embedders: Mapping[str, Any] = attrs.field(factory=dict)
    middleware: Any = None
    heads: Mapping[str, Any] = attrs.field(factory=dict)
    settings: NetworkSettings = attrs.field(factory=NetworkSettings)


@attrs.frozen(kw_only=True)
class Filters:
    """The three pipelines, each in the order of the preset (environment side first)."""

    observation: Mapping[str, tuple[Filter, ...]] = attrs.field(factory=dict)  # by observation name
    reward: tuple[Filter, ...] = ()
    action: tuple[Filter, ...] = ()


@attrs.frozen(kw_only=True)
class Experiment:
    """What a preset means. `document` is the resolved preset as plain data, defaults filled in."""

    name: str
    document: Mapping[str, Any]
    seed: int
    environment: Environment
    environments: int  # N, the key `count` of [environment]
    agent: Agent
    networks: Mapping[str, NetworkParts]  # by name; [agent.network] is "main"
    learner: LearnerSettings
    engine: Engine
    exploration: ExplorationPolicy
    memory: Memory
    filters: Filters
    schedule: ScheduleSettings
    checkpoint: CheckpointSettings
    recorders: Mapping[str, Recorder]  # by part name
    validation: ValidationSettings | None = None
    store: Store | None = None  # where checkpoints are published

    @property
    def world(self) -> Any:
        """The environment that people know: the one within, where one holds another as its setting `environment`."""
        part: Any = self.environment
        while hasattr(inner := getattr(part, "environment", None), "__coach__"):
            part = inner
        return part
