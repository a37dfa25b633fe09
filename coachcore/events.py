"""What a run says about itself; whoever wants to log, draw, save or stop reads these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import attrs


class Event(NamedTuple):
    """Something that happened between two steps.

    `data` is a function of preset and seed alone (plain JSON values); wall-clock
    time is added by whoever records it, so two equal runs give equal events.
    """

    kind: str  # run-start | episode | report | evaluation | checkpoint | run-end
    step: int  # environment steps so far, heat-up included
    episode: int  # episodes finished so far
    update: int  # gradient steps so far
    data: Mapping[str, Any]
    # episode:    {"return", "length", "env", "exploration", "phase"}
    # report:     {"loss", ..., "learning_rate", "exploration"}  means since the last report
    # evaluation: {"mean", "std", "min", "max", "length", "episodes", "best"}
    # checkpoint: {"name"}                                       session only, not in the generator
    # run-end:    {"reason", "best"}


@attrs.frozen(kw_only=True)
class RunInfo:
    """What a recorder may want to know before the first event."""

    preset: str
    seed: int
    environment: str
    agent: str
    total: int  # length of the run in `unit`
    unit: str = "steps"
    resumed_at: int = 0  # environment step a resumed run goes on from
