"""Draw from the probabilities that a policy gives its actions."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from coach_exploration.draw import drawn
from coachcore.api import Array, Discrete, Mismatch, Moment, Proposal, Space, State, component


@component("exploration", "categorical", aliases=("Categorical", "CategoricalParameters"), actions="discrete")
@attrs.frozen(kw_only=True)
class Categorical:
    """Each action as often as the policy says; in evaluation the most probable one (of equals, the first).

    The preferences are probabilities ``[N, A]``; rows that sum to nearly 1 are
    taken as they are meant. A step takes N uniform numbers. The old policy drew
    nothing in a heat-up that used the network; here whatever is no evaluation is drawn.
    """

    def init(self, space: Space, count: int) -> State:
        if not isinstance(space, Discrete):
            raise Mismatch(
                f"categorical draws from discrete actions, got {space} - a box can use 'continuous-entropy'",
                where="categorical",
            )
        return None

    def __call__(
        self, state: State, propose: Callable[[], Proposal], space: Space, count: int, moment: Moment
    ) -> tuple[State, Array]:
        chances = propose().preferences
        return state, chances.argmax(axis=1) if moment.evaluating else drawn(chances, moment.rng)

    def level(self, state: State, step: int) -> float:
        """Nothing is added to what the policy itself wants."""
        return 0.0
