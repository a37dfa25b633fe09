"""Engines: who owns compilation, gradients, the optimizer, target copies and the weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import attrs

from coachcore.contracts.agent import Agent, NetworkPlan
from coachcore.layout import Layout
from coachcore.rng import Generator
from coachcore.settings import LearnerSettings
from coachcore.spaces import Spaces
from coachcore.types import Array, Obs, Sample, State, Trained


@attrs.frozen(kw_only=True)
class Problem:
    """Everything a learner is made from."""

    agent: Agent
    networks: Mapping[str, NetworkPlan]
    spaces: Spaces  # as the agent sees them, after filters
    layout: Layout
    settings: LearnerSettings
    executor: str = "small"
    weighted: bool = False  # does the memory hand out importance weights?
    sequence: int = 1  # T: rows of a minibatch come as sequences of T steps, one after the other
    seed: int = 0


class Learner(Protocol):
    """Networks, optimizer and targets; it changes in place and is `Stateful`.

    Must keep true: same problem, seed and samples give the same weights bit for
    bit, in one process and in two; nothing is drawn from global randomness.
    `metric_names` orders `Trained.metrics`; ``loss`` comes first. A learner that
    compiles may say in `compile_seconds` how long that took so far.
    """

    metric_names: tuple[str, ...]

    def train(self, sample: Sample, learning_rate: float, knobs: Mapping[str, float] = ...) -> Trained:
        """K updates in one call, one a minibatch of `sample`; also applies target copies that fall due.

        `knobs` are what an `Adapting` agent says. Noise that losses and noisy layers ask for is
        drawn by the learner, from a stream of its own that its state holds.
        """
        ...

    def acting(self) -> tuple[Mapping[str, Any], Array]:
        """The acting network as a program (`coachcore.acting`) and its flat weights ``[P]`` float32."""
        ...

    def forward(self, obs: Obs, rng: Generator | None = None) -> Mapping[str, Array]:
        """Head outputs by slot for observations ``[N, ...]``, through the compiled network (the slow, public way).

        Noisy layers draw from `rng`; without it they stand still at their means.
        """
        ...

    def summary(self) -> str:
        """The networks, a line a layer, for people."""
        ...


class StatefulLearner(Learner, Protocol):
    """A learner that can be saved; every engine makes one."""

    def state(self) -> State: ...

    def restore(self, state: State) -> None: ...


class Engine(Protocol):
    """The part: settings that turn a problem into a learner. Importing it may import the backend, nothing else may."""

    def make(self, problem: Problem) -> StatefulLearner:
        """Build networks and compile; raises `Mismatch` where parts do not fit."""
        ...
