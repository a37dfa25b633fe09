"""Memories: where experience lies until it is learned from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from coachcore.layout import Layout
from coachcore.rng import Generator
from coachcore.types import Array, Sample, State


class Store(Protocol):
    """A filled, columnar memory; it changes in place and is `Stateful`.

    Must keep true: at most `capacity` transitions, the oldest leave first;
    columns of one transition are never mixed; sampling draws only from `rng`.
    """

    def add(self, columns: Mapping[str, Array]) -> None:
        """Append M transitions; each column ``[M, ...]`` in the order of the layout."""
        ...

    def sample(self, rng: Generator, calls: int, batch: int, step: int) -> Sample:
        """Draw `calls` minibatches of `batch` rows at once (schedules read `step`)."""
        ...

    def learned(self, rows: Array, priority: Array) -> None:
        """How surprising the sampled rows ``[K, B]`` turned out to be; ignored where nothing depends on it."""
        ...

    def __len__(self) -> int: ...


class StatefulStore(Store, Protocol):
    """A store that can be saved; every memory makes one."""

    def state(self) -> State: ...

    def restore(self, state: State) -> None: ...


class FillingStore(StatefulStore, Protocol):
    """A store that may begin with experience from elsewhere; a run asks it once, before its first step."""

    def fill(self, discount: float) -> None:
        """Hold what the settings name, if anything; `discount` is gamma. A run that is resumed does not ask."""
        ...


class Memory(Protocol):
    """The part: settings that can be made into an empty store."""

    def make(self, layout: Layout, count: int, sequence: int = 1) -> StatefulStore:
        """An empty store for transitions of `layout`, fed by `count` environments.

        `orders` and `fresh` in @component say which agents it can serve (`contracts.agent.DataSpec`).
        With `sequence` T > 1 (only asked of a memory with the order ``sequence``), each minibatch
        holds whole sequences of T consecutive steps of one environment, one after the other.
        """
        ...


class EpisodicMemory(Protocol):
    """A memory that knows episodes: marked ``episodes=True`` in @component.

    It is given single steps, whatever the agent's `n_step`, and joins them itself. Beside the
    columns of the layout, `add` is given ``env`` ``[M]`` int64 (0 to `count` - 1) and ``ended`` ``[M]``
    bool, true at the last step of an episode; an environment's steps come in the order of time. Where ``lost``
    ``[M]`` bool is given besides, these steps never happened: nothing is stored of them, but their episode is over.
    """

    def make(
        self, layout: Layout, count: int, sequence: int = 1, n_step: int = 1, discount: float = 0.99
    ) -> StatefulStore:
        """As `Memory.make`; a row drawn joins `n_step` steps, fewer where the episode ends or has not come further.

        `discount` is gamma, for memories that make rewards and ends of episodes anew.
        """
        ...
