"""Replay every transition with the same chance."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np

from coach_memories.capacity import capacity_setting
from coach_memories.filling import fill, load_setting
from coach_memories.ring import Ring, only_single
from coach_memories.room import disk_setting
from coachcore.api import Array, BadSetting, Generator, Layout, Sample, State, component, param


@component(
    "memory",
    "experience-replay",
    aliases=("ExperienceReplay", "ExperienceReplayParameters"),
    orders=["any"],
    fresh=False,
    weighted=False,
)
@attrs.frozen(kw_only=True)
class ExperienceReplay:
    """The last `capacity` transitions, drawn uniformly.

    Lin 1992; Mnih et al. 2015, doi:10.1038/nature14236, algorithm 1.
    """

    capacity: int | str = capacity_setting()
    replacement: bool = param(default=True, doc="whether one minibatch may hold a transition twice")
    disk: str = disk_setting()
    load: str = load_setting()

    def make(self, layout: Layout, count: int, sequence: int = 1) -> UniformStore:
        only_single(sequence, "experience-replay")
        return UniformStore(self, Ring.of(self, layout, count))


class UniformStore:
    """A ring of transitions from which every filled row is drawn with equal chance."""

    def __init__(self, part: ExperienceReplay, ring: Ring) -> None:
        self.part = part
        self.ring = ring
        self.replacement = part.replacement

    def add(self, columns: Mapping[str, Array]) -> None:
        self.ring.add(columns)

    def sample(self, rng: Generator, calls: int, batch: int, step: int) -> Sample:
        """`calls` minibatches in arrays of their own (no buffer is used again: that would save 0.3 us of 6)."""
        filled = self.ring.filled
        if filled < (1 if self.replacement else batch):
            raise too_few(filled, batch)
        if self.replacement:
            rows = (rng.random((calls, batch)) * filled).astype(
                np.int64
            )  # fair to 2**-53; integers() takes twice as long
        else:
            rows = np.stack([rng.choice(filled, batch, replace=False) for _ in range(calls)])
        return Sample(rows, self.ring.packed(rows), None, self.ring.apart(rows))

    def fill(self, discount: float) -> None:
        fill(self, self.part.load, self.ring.layout, discount)

    def learned(self, rows: Array, priority: Array) -> None:
        """Nothing depends on it."""

    def state(self) -> State:
        return self.ring.state()

    def restore(self, state: State) -> None:
        self.ring.restore(state)

    def __len__(self) -> int:
        return self.ring.filled


def too_few(filled: int, batch: int) -> BadSetting:
    """The error of drawing from a memory that does not hold enough yet."""
    if filled == 0:
        return BadSetting("nothing can be drawn from an empty memory - heat up for at least one step", where="memory")
    return BadSetting(
        f"{batch} different transitions cannot be drawn from {filled} - "
        "heat up for longer, lower batch_size or set replacement = true",
        where="memory",
    )
