"""Which places of a preset hold which kind of part, and what besides parts may stand there."""

from __future__ import annotations

from coachcore.component import ParamSpec, params_of
from coachcore.presets.positions import Path
from coachcore.settings import (
    CheckpointSettings,
    EvaluateSettings,
    LearnerSettings,
    ScheduleSettings,
    ValidationSettings,
)

FORMAT = 1
"""Version of the preset format: what ``coach = 1`` at the top of a preset says."""

PARTS = ("environment", "agent", "engine", "exploration", "memory")
"""Tables of a preset that each hold one part of the kind they are named after."""

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

HEAD = (
    ParamSpec("coach", "int", required=True, doc=f"version of the preset format, {FORMAT}", ge=1),
    ParamSpec("summary", "str", doc="what the preset is, in one line"),
    ParamSpec("seed", "int", default=0, doc="where all chance comes from", ge=0),
)
"""What stands at the top of a preset, before its tables."""

COUNT = ParamSpec("count", "int", default=1, doc="environments that run side by side", ge=1)

TOP = (*(spec.name for spec in HEAD), "extends", *PARTS, "filters", *RUN, "recorders")

RESERVED: dict[str, tuple[str, ...]] = {"environment": ("count",), "agent": ("network", "learner")}
"""Keys beside a part's parameters that do not belong to the part."""


def kind_at(path: Path) -> str | None:
    """The kind of part whose table stands at `path`; None where no part stands.

    Inside a part's table only a schedule can be another part.
    """
    match path:
        case (str(kind),) if kind in PARTS:
            return kind
        case ("agent", "network", "middleware"):
            return "middleware"
        case ("agent", "network", "embedders", str()):
            return "embedder"
        case ("agent", "network", "heads", str()):
            return "head"
        case ("filters", str(), int()):
            return "filter"
        case ("recorders", int()):
            return "recorder"
        case ("agent", "network", "middleware", _, *_) | ("agent", "network", "embedders" | "heads", _, _, *_):
            return "schedule"
        case ("agent", "network", *_) | ("agent", "learner"):
            return None
        case ("filters", _, int(), _, *_) | ("recorders", int(), _, *_):
            return "schedule"
        case (str(table), _, *_) if table in PARTS:
            return "schedule"
    return None
