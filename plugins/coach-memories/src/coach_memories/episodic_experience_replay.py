"""Replay with episodes kept: single steps, several joined as they are drawn, or whole sequences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from coach_memories.capacity import capacity_setting
from coach_memories.episodes import Episodes
from coach_memories.experience_replay import too_few
from coach_memories.filling import fill, load_setting
from coach_memories.hindsight import Hindsight
from coach_memories.joining import Joining
from coach_memories.ring import Ring
from coach_memories.room import disk_setting
from coachcore.api import Array, BadCheckpoint, BadSetting, Generator, Layout, Sample, State, component

RETURN = "return"
KNOWN = 8
"""Bytes that are kept of each row's place in its episode."""


@component(
    "memory",
    "episodic-experience-replay",
    aliases=("EpisodicExperienceReplay", "EpisodicExperienceReplayParameters"),
    orders=["any", "sequence", "episode"],
    fresh=False,
    weighted=False,
    episodes=True,
)
@attrs.frozen(kw_only=True)
class EpisodicExperienceReplay:
    """The last `capacity` steps and the episodes they belong to, drawn uniformly.

    The agent's n steps are joined here: what is held of a step grows with those that follow, up to the
    end of its episode. For recurrent networks every window of consecutive
    steps of an environment is as likely, the last one among them (the old memory never drew it); a
    window may lead over the end of an episode, as a rollout does. Where the agent keeps a column
    ``return`` it holds what the episode went on to pay, ``G_t = r_t + gamma G_{t+1}``, and only
    episodes that have ended are drawn. The oldest steps leave first, one by one, so a long episode is
    not lost whole.

    Lin 1992; Hausknecht & Stone 2015, arXiv:1507.06527; Kapturowski et al. 2019 (R2D2), section 2.3.
    """

    capacity: int | str = capacity_setting()
    disk: str = disk_setting()
    load: str = load_setting()

    def make(
        self, layout: Layout, count: int, sequence: int = 1, n_step: int = 1, discount: float = 0.99
    ) -> EpisodicStore:
        episodes = Episodes(Ring.of(self, layout, count, KNOWN), count)
        return EpisodicStore(self, episodes, Joining(episodes, n_step, discount), sequence)


class EpisodicStore:
    """A ring of steps, each joined with those that follow, and the episodes they belong to."""

    def __init__(
        self, part: Any, episodes: Episodes, joining: Joining, sequence: int = 1, hindsight: Hindsight | None = None
    ) -> None:
        self.part = part
        self.episodes = episodes
        self.ring = episodes.ring
        self.sequence = sequence
        self._joining, self._hindsight = joining, hindsight
        self._whole = any(column.name == RETURN for column in self.ring.layout.columns)
        self._single = np.zeros(self.ring.capacity if self._whole else 0, np.float32)  # rewards before they are joined

    def add(self, columns: Mapping[str, Array]) -> None:
        """Append M steps, with ``env`` and ``ended`` ``[M]`` beside the columns of the layout."""
        lost = columns.get("lost")
        if lost is not None:
            for env in columns["env"][lost].tolist():
                self._relive(self.episodes.end(env))
            columns = {name: values[~lost] for name, values in columns.items()}
        count = len(columns["env"])
        if not count:
            return
        if self._whole:
            columns = {**columns, RETURN: np.zeros(count)}
        closed = self.episodes.add(columns)
        rows = self.ring.newest(count)
        if self._whole:
            self._single[rows] = columns["reward"][-len(rows) :]
        self._joining.grow(rows)
        self._relive(closed)

    def _relive(self, closed: list[Array]) -> None:
        """What is to be done with episodes that have ended."""
        for episode in closed:
            if self._whole:
                self._pay(episode)
            if self._hindsight is not None:
                self._hindsight.relive(episode)

    def _pay(self, closed: Array) -> None:
        """Write the returns of an episode, whose rows `closed` go from the last step to the first."""
        total, returns = 0.0, []
        for reward in self._single[closed].tolist():
            total = reward + self._joining.discount * total
            returns.append(total)
        self.ring.column(RETURN)[closed] = returns

    def sample(self, rng: Generator, calls: int, batch: int, step: int) -> Sample:
        """`calls` minibatches in arrays of their own; with sequences, of whole ones, one after the other.

        Raises `BadSetting` where nothing of what is wanted is there yet.
        """
        rows = self._drawn(rng, calls, batch)
        sample = Sample(rows, self.ring.packed(rows), None, self.ring.apart(rows))
        if self.sequence > 1:
            self._reset(sample)
        return sample

    def _drawn(self, rng: Generator, calls: int, batch: int) -> Array:
        """Rows ``[K, B]``, each as likely as any other."""
        if self.sequence > 1:
            return self._windows(rng, calls, batch)
        filled = self.ring.filled
        if filled < 1:
            raise too_few(filled, batch)
        rows = (rng.random((calls, batch)) * filled).astype(np.int64)
        return self._closed(rng, rows) if self._whole else rows

    def _closed(self, rng: Generator, rows: Array) -> Array:
        """`rows`, those of open episodes replaced by others."""
        wrong = ~self.episodes.over(rows)
        missing = np.count_nonzero(wrong)
        if missing:
            able = self.episodes.ended()
            if not len(able):
                raise BadSetting(
                    'no episode has ended yet - heat up for longer, such as heatup = "10 episodes"', where="memory"
                )
            rows[wrong] = able[(rng.random(missing) * len(able)).astype(np.int64)]
        return rows

    def _windows(self, rng: Generator, calls: int, batch: int) -> Array:
        if batch % self.sequence:
            raise BadSetting(
                f"minibatches of {batch} rows do not hold whole sequences of {self.sequence} steps - "
                "choose a batch_size that is a multiple of the sequence",
                where="memory",
            )
        starts = self.episodes.order.starts(rng, (calls, batch // self.sequence, 1), self.sequence)
        return self.episodes.order.later(starts, np.arange(self.sequence)).reshape(calls, batch)

    def _reset(self, sample: Sample) -> None:
        """Let no network remember an episode over its end, also where it sees what follows each step.

        What follows the first step of an episode does not open one, so on its own it would not be told apart.
        """
        packed = self.ring.layout.packed
        if {"obs.first", "next_obs.first"} <= packed.keys():
            steps = sample.packed.reshape(-1, self.sequence, sample.packed.shape[-1])[:, 1:]
            steps[..., packed["next_obs.first"]] += steps[..., packed["obs.first"]]

    def learned(self, rows: Array, priority: Array) -> None:
        """Nothing depends on it."""

    def fill(self, discount: float) -> None:
        fill(self, self.part.load, self.ring.layout, discount, self.episodes.count)

    def state(self) -> State:
        return {
            "ring": self.ring.state(),
            "episodes": self.episodes.state(),
            "single": self._single[: self.ring.filled].copy(),
            "hindsight": None if self._hindsight is None else self._hindsight.state(),
            "n_step": self._joining.n,
        }

    def restore(self, state: State) -> None:
        if state["n_step"] != self._joining.n:
            raise BadCheckpoint(
                f"steps of n_step = {state['n_step']} were saved - set agent.n_step to it, not {self._joining.n}",
                where="memory",
            )
        self.ring.restore(state["ring"])
        self.episodes.restore(state["episodes"])
        self._single[: len(state["single"])] = state["single"]
        if self._hindsight is not None:
            self._hindsight.restore(state["hindsight"])

    def __len__(self) -> int:
        return self.ring.filled
