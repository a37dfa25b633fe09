"""Mostly the best action, now and then any."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from coach_exploration.additive_noise import AdditiveNoise
from coach_exploration.draw import mostly
from coach_schedules import Linear
from coachcore.api import Array, Box, Discrete, Mismatch, Moment, Proposal, Schedule, Space, State, component, param


def _usual() -> Linear:
    return Linear(start=0.5, end=0.01, steps=50_000)


@component("exploration", "e-greedy", aliases=("EGreedy", "EGreedyParameters"), actions=["discrete", "box"])
@attrs.frozen(kw_only=True)
class EGreedy:
    """With probability epsilon an action drawn fairly, else the most preferred one (of equals, the first).

    Over a box, what is not drawn fairly is the agent's wish with Gaussian noise
    on top, as additive-noise has it. Each environment decides for itself. A step over discrete actions takes 2 N random
    numbers whatever comes of it, so two runs of equal seed stay comparable when
    their networks differ; where every environment explores, the network is not asked.

    With `duration` above 1 a random action goes on for so many steps, or to the
    episode's end: epsilon is the chance to begin, at each step that is not within
    such a stretch, so a share of d epsilon / (1 + (d - 1) epsilon) of all steps is
    random. Dabney, Ostrovski and Barreto 2020, arXiv:2006.01782, with a fixed
    length. In evaluation each random action is of one step.

    Sutton and Barto, 2nd edition, section 2.2. The old policy broke ties at
    random among values within 1e-8 of each other; a network's values hardly ever are.
    """

    epsilon: Schedule = param(factory=_usual, type="schedule", ge=0, le=1, doc="share of random actions while training")
    evaluation_epsilon: float = param(default=0.0, ge=0, le=1, doc="share of random actions in evaluation")
    duration: int = param(default=1, ge=1, doc="steps that a random action goes on for, within its episode")
    deviation: Schedule | None = param(
        default=None, type="schedule", ge=0, doc="of a box: as in additive-noise, where no random action is drawn"
    )
    evaluation_deviation: float = param(default=0.0, ge=0, doc="of a box: as in additive-noise")
    relative: bool = param(default=True, doc="of a box: deviations are shares of each component's range")
    noise: AdditiveNoise = attrs.field(init=False, repr=False)

    @noise.default
    def _noise(self) -> AdditiveNoise:
        return AdditiveNoise(
            deviation=self.deviation, evaluation_deviation=self.evaluation_deviation, relative=self.relative
        )

    def init(self, space: Space, count: int) -> State:
        """None for single random discrete actions; else what is held, how long still, and the noise's state."""
        if not isinstance(space, Discrete | Box):
            raise Mismatch(f"e-greedy draws discrete actions or points of a box, got {space}", where="e-greedy")
        if self.duration == 1 and isinstance(space, Discrete):
            return None
        return {
            "left": np.zeros(count, np.int64),
            "action": np.zeros((count, *space.shape), space.dtype),
            "noise": self.noise.init(space, count) if isinstance(space, Box) else None,
        }

    def __call__(
        self, state: State, propose: Callable[[], Proposal], space: Space, count: int, moment: Moment
    ) -> tuple[State, Array]:
        epsilon = self.evaluation_epsilon if moment.evaluating else self.epsilon(moment.step)
        if state is None:
            return state, mostly(
                lambda: propose().preferences.argmax(axis=1),
                epsilon,
                space.n,  # type: ignore[union-attr]  # `init` has no state for discrete actions only
                count,
                moment.rng,
            )
        left, action = self._held(state, epsilon, space, count, moment)
        inner, wish = state["noise"], action
        if isinstance(space, Box):
            inner, wish = self.noise(inner, propose, space, count, moment)
        elif not left.all():
            wish = propose().preferences.argmax(axis=1)
        explores = (left > 0).reshape(count, *(1 for _ in space.shape))
        after = {"left": np.maximum(left - 1, 0), "action": action, "noise": inner}
        return after, np.where(explores, action, wish)

    def _held(self, state: State, epsilon: float, space: Space, count: int, moment: Moment) -> tuple[Array, Array]:
        """How many steps a random action is done for, from this one on, ``[N]``, and which, ``[N, *shape]``."""
        left = np.zeros(count, np.int64) if moment.evaluating else state["left"]
        if moment.first is not None:
            left = np.where(moment.first, 0, left)
        begins = (moment.rng.random(count) < epsilon) & (left == 0)
        if not begins.any():  # a point of a box is dear to draw
            return left, state["action"]
        drawn = space.sample(moment.rng, count)
        chosen = np.where(begins.reshape(count, *(1 for _ in space.shape)), drawn, state["action"])
        return np.where(begins, self.duration, left), chosen

    def level(self, state: State, step: int) -> float:
        """The chance to draw."""
        return float(self.epsilon(step))
