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


_WHERE: tuple[tuple[Path, str], ...] = (
    (("agent", "network", "embedders", "*"), "embedder"),
    (("agent", "network", "heads", "*"), "head"),
    (("agent", "network", "middleware"), "middleware"),
    (("filters", "*", "*"), "filter"),
    (("recorders", "*"), "recorder"),
    *(((kind,), kind) for kind in PARTS),
)
_GROUPS = {("agent", "learner"), ("agent", "network"), ("agent", "network", "embedders"), ("agent", "network", "heads")}


def kind_at(path: Path) -> str | None:
    """The kind of part whose table stands at `path`; None where no part stands.

    Inside a part's table only a schedule can be another part.
    """
    if path in _GROUPS:
        return None
    for shape, kind in _WHERE:
        if len(path) >= len(shape) and all(want in ("*", part) for want, part in zip(shape, path, strict=False)):
            return kind if len(path) == len(shape) else "schedule"
    return None
