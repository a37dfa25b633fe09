"""Learn from what was just done, a few times over, and forget it."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np

from coach_memories.ring import described
from coachcore.api import Array, BadCheckpoint, BadSetting, Generator, Layout, Sample, State, component


@component(
    "memory",
    "rollout",
    aliases=("SingleEpisodeBuffer", "SingleEpisodeBufferParameters"),
    orders=["any", "sequence"],
    fresh=True,
    weighted=False,
)
@attrs.frozen(kw_only=True)
class Rollout:
    """The rollout that was just closed, learned from epoch by epoch and forgotten.

    Every epoch is a new shuffling of all rows, or of all sequences, cut into minibatches, so each
    row is used once an epoch. It holds as much as is added. The old single-episode buffer
    kept one episode; a rollout goes on over the ends of episodes, whose advantages are made before.

    Schulman et al. 2017, arXiv:1707.06347, algorithm 1.
    """

    def make(self, layout: Layout, count: int, sequence: int = 1) -> RolloutStore:
        return RolloutStore(layout, count, sequence)


class RolloutStore:
    """Rows as they were added: all steps of the first of `count` environments, then of the next."""

    def __init__(self, layout: Layout, count: int, sequence: int) -> None:
        self.layout = layout
        self.count = count
        self.sequence = sequence
        self._forget()

    def _forget(self) -> None:
        self._packed = np.empty((0, self.layout.width), np.float32)
        self._apart = {c.name: np.empty((0, *c.shape), c.dtype) for c in self.layout.apart}

    def add(self, columns: Mapping[str, Array]) -> None:
        """Append a closed rollout of M rows, environment by environment.

        Raises `BadSetting` where an environment's steps are no whole number of sequences.
        """
        rows = len(columns[self.layout.columns[0].name])
        if self.sequence > 1 and rows % (self.count * self.sequence):
            raise BadSetting(
                f"{rows} rows of {self.count} environments cannot be cut into sequences of {self.sequence} steps - "
                "let the steps of a rollout be a multiple of the sequence",
                where="memory",
            )
        packed = np.empty((rows, self.layout.width), np.float32)
        for column in self.layout.columns:
            if (where := self.layout.packed.get(column.name)) is not None:
                packed[:, where] = columns[column.name].reshape(rows, column.size)
        self._packed = np.concatenate([self._packed, packed])
        self._apart = {
            c.name: np.concatenate([self._apart[c.name], columns[c.name]], dtype=c.dtype, casting="unsafe")
            for c in self.layout.apart
        }

    def sample(self, rng: Generator, calls: int, batch: int, step: int) -> Sample:
        """All minibatches of ``calls * batch / len(self)`` epochs, in arrays of their own; nothing is left after.

        Raises `BadSetting` where rows do not divide into minibatches, or minibatches into epochs or sequences.
        """
        held = len(self)
        self._divides(held, calls, batch)
        epochs, sequences = calls * batch // held, held // self.sequence
        firsts = np.tile(np.arange(0, held, self.sequence), (epochs, 1))
        shuffled = rng.permuted(firsts, axis=1).reshape(epochs * sequences, 1)
        rows = (shuffled + np.arange(self.sequence)).reshape(calls, batch)
        sample = Sample(
            rows,
            self._packed.take(rows, axis=0),
            None,
            {name: column.take(rows, axis=0) for name, column in self._apart.items()},
        )
        self._forget()
        return sample

    def _divides(self, held: int, calls: int, batch: int) -> None:
        if held == 0:
            raise BadSetting("nothing can be drawn from an empty memory - it forgets what was drawn", where="memory")
        if held % batch:
            raise BadSetting(
                f"a rollout of {held} rows cannot be cut into minibatches of {batch} - "
                "choose a batch_size that divides the rollout's steps times its environments",
                where="memory",
            )
        if calls % (held // batch):
            raise BadSetting(
                f"{calls} minibatches of {batch} are no whole number of epochs over {held} rows - "
                f"draw a multiple of {held // batch}",
                where="memory",
            )
        if batch % self.sequence:
            raise BadSetting(
                f"minibatches of {batch} rows do not hold whole sequences of {self.sequence} steps - "
                "choose a batch_size that is a multiple of the sequence",
                where="memory",
            )

    def learned(self, rows: Array, priority: Array) -> None:
        """Nothing depends on it."""

    def state(self) -> State:
        return {
            "columns": described(self.layout),
            "packed": self._packed.copy(),
            "apart": {name: column.copy() for name, column in self._apart.items()},
        }

    def restore(self, state: State) -> None:
        if list(map(list, state["columns"])) != described(self.layout):
            raise BadCheckpoint(
                "the saved rollout has other columns - resume with the same spaces, agent and filters", where="memory"
            )
        self._packed = np.array(state["packed"])
        self._apart = {name: np.array(column) for name, column in state["apart"].items()}

    def __len__(self) -> int:
        return len(self._packed)
