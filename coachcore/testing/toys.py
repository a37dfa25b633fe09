"""Tiny whole parts of every kind the loop needs, in NumPy alone: for tests without a plugin, and to copy from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from coachcore.clock import Duration
from coachcore.component import component, param
from coachcore.contracts.experiment import Experiment, Filters, NetworkParts
from coachcore.errors import BadCheckpoint, BadSetting, Mismatch
from coachcore.events import Event, RunInfo
from coachcore.layout import Layout
from coachcore.rng import Generator
from coachcore.settings import CheckpointSettings, EvaluateSettings, LearnerSettings, ScheduleSettings
from coachcore.spaces import Box, Discrete, Space, Spaces
from coachcore.testing.toy_learning import ToyEngine, ToyQ
from coachcore.types import Array, Moment, Obs, Proposal, Sample, State, Step


@component("environment", "toy-signs")
@attrs.frozen(kw_only=True)
class ToySigns:
    """Answer each sign with its like: `length` signs an episode, a point for each right answer.

    The observation ``[3]`` is the sign now shown (-1 or 1), the share of signs
    done and the share of points won, so that it depends on the seed and on every
    action. Discrete: action 1 is right for sign 1, action 0 for -1. Box: the
    point shrinks by half the distance between action and sign. The best return
    is `length`, a coin's half of it.
    """

    length: int = param(default=10, ge=1, doc="signs in an episode; then it terminates")
    limit: int = param(default=0, ge=0, doc="steps after which an episode is truncated; 0: never")
    actions: str = param(default="discrete", choices=("discrete", "box"), doc="how answers are given")
    nan_at: int = param(default=0, ge=0, doc="step of every episode whose reward is NaN; 0: none")
    crash_at: int = param(default=0, ge=0, doc="step of every episode at which the simulator raises; 0: none")

    def make(self, count: int, *, render: bool = False) -> ToySimulators:
        return ToySimulators(self, count, render=render)


class ToySimulators:
    """N games of signs."""

    def __init__(self, part: ToySigns, count: int, *, render: bool) -> None:
        action: Space = Discrete(2) if part.actions == "discrete" else Box((1,), -1.0, 1.0)
        seen = Box((3,), np.array([-1.0, 0.0, 0.0]), 1.0)
        self.spaces = Spaces(observation={"observation": seen}, action=action)
        self.part, self.count = part, count
        self._render = render
        self._signs = np.ones((count, part.length + 1))
        self._done = np.zeros(count, np.int64)
        self._won = np.zeros(count)

    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        """All of an episode's chance is drawn here, from its seed."""
        for env, seed in zip(envs, seeds, strict=True):
            rng = np.random.Generator(np.random.PCG64(seed))
            self._signs[env] = 2.0 * rng.integers(0, 2, self.part.length + 1) - 1.0
            self._done[env], self._won[env] = 0, 0.0
        return {"observation": self._seen()[list(envs)]}

    def step(self, actions: Array) -> Step:
        """One answer each; a game that is over stays where it is until it is reset."""
        part, shown = self.part, self._shown()
        answers = 2.0 * actions - 1.0 if part.actions == "discrete" else np.clip(actions[:, 0], -1.0, 1.0)
        playing = self._done < part.length
        rewards = np.where(playing, 1.0 - np.abs(answers - shown) / 2.0, 0.0)
        self._done += playing
        self._won += rewards
        for env in np.flatnonzero(playing & (self._done == part.crash_at)).tolist():
            raise RuntimeError(f"toy environment {env} crashes at step {part.crash_at}, as it was asked to")
        rewards[playing & (self._done == part.nan_at)] = np.nan
        over = self._done >= part.length
        cut = ~over & (self._done >= part.limit) if part.limit else np.zeros(self.count, bool)
        return Step({"observation": self._seen()}, rewards, over, cut)

    def render(self) -> Array | None:
        """A 4 by 4 picture, white for sign 1."""
        return np.full((4, 4, 3), 255 if self._shown()[0] > 0 else 0, np.uint8) if self._render else None

    def close(self) -> None:
        """Nothing to let go of."""

    def _shown(self) -> Array:
        return self._signs[np.arange(self.count), self._done]

    def _seen(self) -> Array:
        """Fresh observations ``[N, 3]``: what was handed out is never written to again."""
        length = self.part.length
        return np.stack([self._shown(), self._done / length, self._won / length], axis=1).astype(np.float32)


@component("exploration", "toy-e-greedy")
@attrs.frozen(kw_only=True)
class ToyEGreedy:
    """With probability epsilon any action, else the preferred one; greedy with ``epsilon = 0``.

    Its state counts the random actions, to show how a state is handed on.
    """

    epsilon: Any = param(default=0.1, type="schedule", ge=0, le=1, doc="share of random actions while training")

    def init(self, space: Space, count: int) -> State:
        if not isinstance(space, Discrete):
            raise Mismatch(f"toy-e-greedy chooses discrete actions, got {space}")
        return {"random": 0}

    def __call__(
        self, state: State, propose: Callable[[], Proposal], space: Space, count: int, moment: Moment
    ) -> tuple[State, Array]:
        best = propose().preferences.argmax(axis=1)
        if moment.evaluating:
            return state, best
        explores = moment.rng.random(count) < self.epsilon(moment.step)
        actions = np.where(explores, space.sample(moment.rng, count), best)
        return {"random": state["random"] + int(explores.sum())}, actions

    def level(self, state: State, step: int) -> float:
        return float(self.epsilon(step))


@component("memory", "toy-ring", orders=["any"], fresh=False, weighted=False)
@attrs.frozen(kw_only=True)
class ToyRing:
    """The last `capacity` transitions, drawn uniformly with replacement."""

    capacity: int = param(default=1_000, ge=1, doc="transitions kept")

    def make(self, layout: Layout, count: int, sequence: int = 1) -> ToyStore:
        if sequence > 1:
            raise Mismatch(f"'toy-ring' draws single transitions, not sequences of {sequence} steps")
        return ToyStore(layout, self.capacity)


class ToyStore:
    """One array a column; transition number i lies in row ``i % capacity``."""

    def __init__(self, layout: Layout, capacity: int) -> None:
        self._layout, self._capacity, self._added = layout, capacity, 0
        self._columns = {one.name: np.zeros((capacity, *one.shape), one.dtype) for one in layout.columns}

    def add(self, columns: Mapping[str, Array]) -> None:
        count = len(columns["reward"])
        rows = np.arange(self._added, self._added + count) % self._capacity
        for name, kept in self._columns.items():
            kept[rows[-self._capacity :]] = columns[name][-self._capacity :]
        self._added += count

    def sample(self, rng: Generator, calls: int, batch: int, step: int) -> Sample:
        if not len(self):
            raise BadSetting("nothing can be drawn from an empty memory - heat up for at least one step")
        rows = rng.integers(0, len(self), (calls, batch))
        packed = [self._columns[name][rows].reshape(calls, batch, -1) for name in self._layout.packed]
        apart = {column.name: self._columns[column.name][rows] for column in self._layout.apart}
        return Sample(rows, np.concatenate(packed, axis=2), None, apart)

    def learned(self, rows: Array, priority: Array) -> None:
        """Nothing depends on it."""

    def __len__(self) -> int:
        return min(self._added, self._capacity)

    def state(self) -> State:
        return {
            "added": self._added,
            "columns": {name: kept[: len(self)].copy() for name, kept in self._columns.items()},
        }

    def restore(self, state: State) -> None:
        columns, added = state["columns"], int(state["added"])
        held = min(added, self._capacity)
        fits = columns.keys() == self._columns.keys() and all(
            saved.shape == (held, *self._columns[name].shape[1:]) and saved.dtype == self._columns[name].dtype
            for name, saved in columns.items()
        )
        if not fits:
            raise BadCheckpoint("the saved transitions do not fit this memory's layout and capacity")
        for name, saved in columns.items():
            self._columns[name][:held] = saved
        self._added = added


@component("recorder", "toy-list")
@attrs.frozen(kw_only=True)
class ToyList:
    """Keeps the events of each run folder in a list; nothing is written."""

    kept: dict[Path, list[Event]] = attrs.field(factory=dict, init=False, eq=False, repr=False)

    def open(self, folder: Path, info: RunInfo, mark: Any = None) -> ToySink:
        events = self.kept.setdefault(folder, [])
        del events[mark or 0 :]
        return ToySink(events)


class ToySink:
    """An open list."""

    def __init__(self, events: list[Event]) -> None:
        self._events = events

    def event(self, event: Event) -> None:
        self._events.append(event)

    def mark(self) -> int:
        return len(self._events)

    def close(self) -> None:
        """Nothing to let go of."""


def toy_experiment(**changes: Any) -> Experiment:
    """A whole experiment of toys that learns within a second; `changes` are fields of `Experiment`."""
    parts: dict[str, Any] = {
        "name": "toy",
        "document": {"environment": {"use": "toy-signs"}, "agent": {"use": "toy-q"}},
        "seed": 1,
        "environment": ToySigns(),
        "environments": 1,
        "agent": ToyQ(),
        "networks": {"main": NetworkParts(embedders={"observation": None}, heads={"q": None})},
        "learner": LearnerSettings(batch_size=16, learning_rate=0.1, target_every=Duration.parse("10 updates")),
        "engine": ToyEngine(),
        "exploration": ToyEGreedy(),
        "memory": ToyRing(),
        "filters": Filters(),
        "schedule": ScheduleSettings(
            heatup=Duration.parse("50 steps"),
            train=Duration.parse("600 steps"),
            report_every=Duration.parse("100 steps"),
            evaluate=EvaluateSettings(every=Duration.parse("200 steps"), episodes=5),
        ),
        "checkpoint": CheckpointSettings(every=Duration.parse("200 steps")),
        "recorders": {},
    }
    return Experiment(**(parts | changes))
