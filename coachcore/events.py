"""What a run says about itself; whoever wants to log, draw, save or stop reads these."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import attrs

_SMALL = 2.0


class Event(NamedTuple):
    """Something that happened between two steps.

    `data` is a function of preset and seed alone (plain JSON values); wall-clock
    time is added by whoever records it, so two equal runs give equal events.
    (What befalls a simulator from outside, and only that, is no such function.)
    """

    kind: str  # run-start | episode | simulator | report | evaluation | pause (session only) | run-end
    step: int  # environment steps so far, heat-up included
    episode: int  # episodes finished so far
    update: int  # gradient steps so far
    data: Mapping[str, Any]
    # keys of `data` by kind:
    # an episode has return, length, env, exploration and phase, and lost = true where its end was never seen;
    # a simulator has what its environment says of it, such as env, cause and lost (`VectorEnvironment`);
    # a report has loss and the other metrics (means since the last report), learning_rate and exploration;
    # an evaluation has mean, std, min, max, length, episodes and best;
    # a run-end has reason and best


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
    folder: Path | None = None  # of the run; hooks are not handed it otherwise


def figure(value: float) -> str:
    """A return as people read it: one decimal, two where one would hide it (0.96 is not 1.0)."""
    hides = abs(value) < _SMALL and round(value, 1) != round(value, 2)
    return f"{value:.2f}" if hides else f"{value:.1f}"
