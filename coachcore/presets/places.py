"""Which places of a preset hold which kind of part, and what besides parts may stand there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coachcore.component import ParamSpec, params_of
from coachcore.presets.positions import Path
from coachcore.settings import (
    CheckpointSettings,
    EvaluateSettings,
    LearnerSettings,
    NetworkSettings,
    ScheduleSettings,
    ValidationSettings,
)

FORMAT = 1
"""Version of the preset format: what ``coach = 1`` at the top of a preset says."""

PARTS = ("environment", "agent", "engine", "exploration", "memory")
"""Tables of a preset that each hold one part of the kind they are named after."""

OPTIONAL = ("store", "orchestrator")
"""Tables of the same form that a preset may do without."""

DEFAULT_ENGINE = "tensorflow"
DEFAULT_RECORDERS = ("jsonl", "terminal")

RUN = {
    "schedule": params_of(ScheduleSettings),
    "checkpoint": params_of(CheckpointSettings),
    "validation": params_of(ValidationSettings),
}
"""Tables of a preset that hold settings of the run."""

LEARNER = params_of(LearnerSettings)
EVALUATE = params_of(EvaluateSettings)
NETWORK = params_of(NetworkSettings)
FREE = tuple(spec for spec in NETWORK if spec.name == "learning_rate_factor")
"""What may be said of a network that has no parts."""

HEAD = (
    ParamSpec("coach", "int", required=True, doc=f"version of the preset format, {FORMAT}", ge=1),
    ParamSpec("summary", "str", doc="what the preset is, in one line"),
    ParamSpec("seed", "int", default=0, doc="where all chance comes from", ge=0),
)
"""What stands at the top of a preset, before its tables."""

COUNT = ParamSpec("count", "int", default=1, doc="environments that run side by side", ge=1)

TOP = (*(spec.name for spec in HEAD), "extends", *PARTS, "filters", *RUN, "recorders", *OPTIONAL)

RESERVED: dict[str, tuple[str, ...]] = {"environment": ("count",), "agent": ("network", "networks", "learner")}
"""Keys beside a part's parameters that do not belong to the part."""


def several(agent: Mapping[str, Any]) -> bool | None:
    """Whether an agent has networks with names (``[agent.networks.NAME]``); None where its facts say nothing."""
    if "slots" not in agent:
        return None
    return "free" in agent or any(isinstance(inner, Mapping) for inner in agent["slots"].values())


def named(agent: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the networks of an agent that has several."""
    return (*agent["slots"], *(name for name in agent.get("free", ()) if name not in agent["slots"]))


_NETWORKS: tuple[Path, ...] = (("agent", "network"), ("agent", "networks", "*"))
_NETWORK: tuple[tuple[Path, str], ...] = (
    (("embedders", "*"), "embedder"),
    (("heads", "*"), "head"),
    (("middleware",), "middleware"),
)
_STACKED = [kind for _, kind in _NETWORK]
_WHERE: tuple[tuple[Path, str], ...] = (
    *(((*above, *path), kind) for above in _NETWORKS for path, kind in _NETWORK),
    (("filters", "*", "*"), "filter"),
    (("recorders", "*"), "recorder"),
    *(((kind,), kind) for kind in (*PARTS, *OPTIONAL)),
)
_GROUPS: tuple[Path, ...] = (
    ("agent", "learner"),
    ("agent", "networks"),
    *((*above, *path) for above in _NETWORKS for path in ((), ("embedders",), ("heads",))),
)


def kind_at(path: Path) -> str | None:
    """The kind of part whose table stands at `path`; None where no part stands.

    Inside a part's table only a schedule can be another part; in the lists of a network's parts, a layer.
    """
    if any(len(path) == len(shape) and _matches(shape, path) for shape in _GROUPS):
        return None
    for shape, kind in _WHERE:
        if _matches(shape, path):
            inside = "layer" if kind in _STACKED and isinstance(path[-1], int) else "schedule"
            return kind if len(path) == len(shape) else inside
    return None


def _matches(shape: Path, path: Path) -> bool:
    """Whether `path` begins with `shape`, in which a star stands for anything."""
    return len(path) >= len(shape) and all(want in ("*", part) for want, part in zip(shape, path, strict=False))
