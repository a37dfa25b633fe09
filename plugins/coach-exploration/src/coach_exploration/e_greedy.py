"""Mostly the best action, now and then any."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from coach_schedules import Linear
from coachcore.api import Array, Discrete, Mismatch, Moment, Proposal, Schedule, Space, State, component, param


def _usual() -> Linear:
    return Linear(start=0.5, end=0.01, steps=50_000)


@component("exploration", "e-greedy", aliases=("EGreedy", "EGreedyParameters"), actions="discrete")
@attrs.frozen(kw_only=True)
class EGreedy:
    """With probability epsilon an action drawn fairly, else the most preferred one (of equals, the first).

    Each environment decides for itself. A step takes 2 N random numbers whatever
    comes of it, so two runs of equal seed stay comparable when their networks
    differ; where every environment explores, the network is not asked.

    Sutton and Barto, 2nd edition, section 2.2. The old policy broke ties at
    random among values within 1e-8 of each other; a network's values hardly ever are.
    """

    epsilon: Schedule = param(factory=_usual, type="schedule", ge=0, le=1, doc="share of random actions while training")
    evaluation_epsilon: float = param(default=0.0, ge=0, le=1, doc="share of random actions in evaluation")

    def init(self, space: Space, count: int) -> State:
        if not isinstance(space, Discrete):
            raise Mismatch(
                f"e-greedy draws from discrete actions, got {space} - a box can use 'greedy'", where="e-greedy"
            )
        return None

    def __call__(
        self, state: State, propose: Callable[[], Proposal], space: Space, count: int, moment: Moment
    ) -> tuple[State, Array]:
        epsilon = self.evaluation_epsilon if moment.evaluating else self.epsilon(moment.step)
        drawn = moment.rng.random(2 * count)
        actions: int = space.n  # type: ignore[union-attr]  # `init` has refused a box
        if count == 1:  # the same choice as below without the price of array arithmetic
            if drawn[0] < epsilon:
                return state, np.array([int(drawn[1] * actions)])
            return state, propose().preferences.argmax(axis=1)
        explores = drawn[:count] < epsilon
        anything = (drawn[count:] * actions).astype(np.int64)
        if explores.all():
            return state, anything
        return state, np.where(explores, anything, propose().preferences.argmax(axis=1))

    def level(self, state: State, step: int) -> float:
        return float(self.epsilon(step))
