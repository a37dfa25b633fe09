"""One of several opinions an episode, followed through to its end."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from coach_exploration.draw import mostly
from coach_exploration.ensembles import opinions, voted
from coachcore.api import Array, Discrete, Mismatch, Moment, Proposal, Schedule, Space, State, component, param


@component(
    "exploration",
    "bootstrapped",
    aliases=("Bootstrapped", "BootstrappedParameters"),
    actions="discrete",
    asks="ensemble",
)
@attrs.frozen(kw_only=True)
class Bootstrapped:
    """What one head thinks best, a head drawn fairly for each episode of each environment.

    A head that is wrong in its own way is followed long enough to find out, which
    single random actions never do (deep exploration). In evaluation the heads
    vote. Osband et al. 2016, arXiv:1602.04621, algorithm 1 and section 6.1.

    The old policy explored by epsilon besides, from 1 down over a million steps;
    here as much as `epsilon` says, at first not at all. Its masks, which head
    learns from what, are the agent's affair (`sharing` of bootstrapped-dqn).
    A step takes 2 N random numbers, and N more where an episode begins.
    """

    epsilon: Schedule = param(default=0.0, type="schedule", ge=0, le=1, doc="share of random actions while training")
    evaluation_epsilon: float = param(default=0.0, ge=0, le=1, doc="share of random actions in evaluation")
    vote: bool = param(
        default=True, doc="in evaluation the action that most heads think best; else that of the greatest mean value"
    )

    def init(self, space: Space, count: int) -> State:
        """Each environment's head, ``[N]``, as a share of how many there are; below 0 while none is drawn."""
        if not isinstance(space, Discrete):
            raise Mismatch(
                f"bootstrapped chooses discrete actions, got {space} - a box can use 'additive-noise'",
                where="bootstrapped",
            )
        return np.full(count, -1.0)

    def __call__(
        self, state: State, propose: Callable[[], Proposal], space: Space, count: int, moment: Moment
    ) -> tuple[State, Array]:
        heads = state if moment.evaluating else _drawn(state, moment)

        def best() -> Array:
            proposal = propose()
            values = opinions("bootstrapped", proposal)  # [N, H, A]
            if moment.evaluating:
                return voted(values) if self.vote else proposal.preferences.argmax(axis=1)
            chosen = (heads * values.shape[1]).astype(np.int64)
            found: Array = values[np.arange(count), chosen].argmax(axis=1)
            return found

        epsilon = self.evaluation_epsilon if moment.evaluating else self.epsilon(moment.step)
        return heads, mostly(best, epsilon, space.n, count, moment.rng)  # type: ignore[union-attr]  # see `init`

    def level(self, state: State, step: int) -> float:
        """The share of random actions; how much the heads differ is not counted."""
        return float(self.epsilon(step))


def _drawn(state: Array, moment: Moment) -> Array:
    """The heads ``[N]``, new ones where an episode begins or none was drawn yet."""
    missing = state < 0 if moment.first is None else (state < 0) | moment.first
    return np.where(missing, moment.rng.random(len(state)), state) if missing.any() else state
