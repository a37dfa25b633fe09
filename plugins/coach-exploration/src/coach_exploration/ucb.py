"""The best that an action may well be worth: optimism where several opinions differ."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from coach_exploration.draw import mostly
from coach_exploration.ensembles import opinions
from coachcore.api import Array, Discrete, Mismatch, Moment, Proposal, Schedule, Space, State, component, param


@component("exploration", "ucb", aliases=("UCB", "UCBParameters"), actions="discrete", asks="ensemble")
@attrs.frozen(kw_only=True)
class UCB:
    """The action of the greatest ``mean + bonus * deviation`` over the heads; in evaluation of the greatest mean.

    Chen et al. 2017, arXiv:1706.01502, algorithm 2 (upper confidence bound by
    Q-ensembles). The old policy explored by epsilon besides, from 1 down over five
    million steps; here as much as `epsilon` says, at first not at all. A step
    takes 2 N random numbers.
    """

    bonus: Schedule = param(
        default=0.1, type="schedule", ge=0, doc="lambda, deviations of the heads that are added to their mean"
    )
    epsilon: Schedule = param(default=0.0, type="schedule", ge=0, le=1, doc="share of random actions while training")
    evaluation_epsilon: float = param(default=0.0, ge=0, le=1, doc="share of random actions in evaluation")

    def init(self, space: Space, count: int) -> State:
        """How much the heads last differed, for people to watch."""
        if not isinstance(space, Discrete):
            raise Mismatch(f"ucb chooses discrete actions, got {space} - a box can use 'additive-noise'", where="ucb")
        return 0.0

    def __call__(
        self, state: State, propose: Callable[[], Proposal], space: Space, count: int, moment: Moment
    ) -> tuple[State, Array]:
        differed = state

        def best() -> Array:
            nonlocal differed
            proposal = propose()
            values, mean = opinions("ucb", proposal), proposal.preferences  # [N, H, A], [N, A]
            if moment.evaluating:
                return mean.argmax(axis=1)
            deviation = np.sqrt(np.square(values - mean[:, None]).mean(axis=1))  # [N, A]
            differed = float(deviation.mean())
            found: Array = (mean + self.bonus(moment.step) * deviation).argmax(axis=1)
            return found

        epsilon = self.evaluation_epsilon if moment.evaluating else self.epsilon(moment.step)
        actions = mostly(best, epsilon, space.n, count, moment.rng)  # type: ignore[union-attr]  # see `init`
        return differed, actions

    def level(self, state: State, step: int) -> float:
        """The mean deviation of the heads when last asked."""
        return float(state)
