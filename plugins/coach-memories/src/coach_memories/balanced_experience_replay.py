"""Replay with as many transitions of every class in each minibatch."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np

from coach_memories.capacity import capacity_setting
from coach_memories.experience_replay import too_few
from coach_memories.filling import fill, load_setting
from coach_memories.lanes import Lanes
from coach_memories.ring import Ring, only_single
from coach_memories.room import disk_setting
from coachcore.api import (
    Array,
    BadData,
    BadSetting,
    Generator,
    Layout,
    Mismatch,
    Sample,
    State,
    component,
    did_you_mean,
    param,
)

KNOWN = 20
"""Bytes that are kept of each row's place in its class, where classes are about as large."""


@component(
    "memory",
    "balanced-experience-replay",
    aliases=("BalancedExperienceReplay", "BalancedExperienceReplayParameters"),
    orders=["any"],
    fresh=False,
    weighted=False,
    balanced=True,
)
@attrs.frozen(kw_only=True)
class BalancedExperienceReplay:
    """The last `capacity` transitions, of which every minibatch holds as many of each class.

    The class of a transition is the whole number from 0 to `classes` - 1 in what was observed
    before it, under the name `class_observation`. Within a class all are as likely. Whatever its
    class, the oldest transition leaves first. The old memory could not store anything, for it
    counted with an attribute that it never made, and looked at how many there are of all classes
    together; here every class is asked.
    """

    capacity: int | str = capacity_setting()
    classes: int = param(default=2, ge=2, doc="how many classes there are")
    class_observation: str = param(default="class", doc="observation whose one number is the class")
    replacement: bool = param(default=False, doc="whether one minibatch may hold a transition twice")
    disk: str = disk_setting()
    load: str = load_setting()

    def make(self, layout: Layout, count: int, sequence: int = 1) -> BalancedStore:
        only_single(sequence, "balanced-experience-replay")
        name = f"obs.{self.class_observation}"
        sizes = {column.name: column.size for column in layout.columns}
        if sizes.get(name) != 1:
            seen = [each.partition(".")[2] for each, size in sizes.items() if each.startswith("obs.") and size == 1]
            raise Mismatch(
                f"there is no observation '{self.class_observation}' of one number - "
                f"{did_you_mean(self.class_observation, seen)}",
                where="memory.class_observation",
            )
        return BalancedStore(self, Ring.of(self, layout, count, KNOWN), name)


class BalancedStore:
    """A ring of transitions and a queue of rows for each class."""

    def __init__(self, part: BalancedExperienceReplay, ring: Ring, name: str) -> None:
        self.part = part
        self.ring = ring
        self._name = name
        self._lanes = Lanes(ring, part.classes)

    def add(self, columns: Mapping[str, Array]) -> None:
        """Append M transitions; raises `BadData`, and adds nothing, for a class that there is not."""
        told = np.asarray(columns[self._name]).reshape(-1)
        classes = told.astype(np.int64)
        wrong = (classes != told) | (classes < 0) | (classes >= self.part.classes)
        if wrong.any():
            raise BadData(
                f"class {told[wrong][0]:g} is none of 0..{self.part.classes - 1} - raise classes, or mend "
                f"the observation '{self.part.class_observation}'",
                where="memory",
            )
        self.ring.add(columns)
        self._lanes.add(classes)

    def sample(self, rng: Generator, calls: int, batch: int, step: int) -> Sample:
        """`calls` minibatches in arrays of their own, ``B / classes`` rows a class, class by class.

        Raises `BadSetting` where a class has too few, or B is no multiple of the number of classes.
        """
        if not len(self):
            raise too_few(0, batch)
        each = self._share(batch)
        heads, held = self._lanes.heads, self._lanes.tails - self._lanes.heads  # [C]
        self._enough(held, each)
        if self.part.replacement:
            places = (rng.random((calls, self.part.classes, each)) * held[:, None]).astype(np.int64)
        else:
            drawn = [[rng.choice(many, each, replace=False) for many in held.tolist()] for _ in range(calls)]
            places = np.array(drawn, np.int64).reshape(calls, self.part.classes, each)
        lanes = np.arange(self.part.classes)[:, None]
        rows = self._lanes.rows(lanes, heads[:, None] + places).reshape(calls, batch)
        return Sample(rows, self.ring.packed(rows), None, self.ring.apart(rows))

    def _share(self, batch: int) -> int:
        each, rest = divmod(batch, self.part.classes)
        if rest:
            raise BadSetting(
                f"minibatches of {batch} rows cannot hold as many of each of {self.part.classes} classes - "
                "choose a batch_size that is a multiple of classes",
                where="memory",
            )
        return each

    def _enough(self, held: Array, each: int) -> None:
        wanted = 1 if self.part.replacement else each
        few = np.flatnonzero(held < wanted)
        if len(few):
            raise BadSetting(
                f"{each} transitions of class {few[0]} cannot be drawn from {held[few[0]]} - "
                "heat up for longer, lower batch_size or set replacement = true",
                where="memory",
            )

    def learned(self, rows: Array, priority: Array) -> None:
        """Nothing depends on it."""

    def fill(self, discount: float) -> None:
        fill(self, self.part.load, self.ring.layout, discount)

    def state(self) -> State:
        return {"ring": self.ring.state(), "classes": self._lanes.state()}

    def restore(self, state: State) -> None:
        self.ring.restore(state["ring"])
        self._lanes.restore(state["classes"])

    def __len__(self) -> int:
        return self.ring.filled
