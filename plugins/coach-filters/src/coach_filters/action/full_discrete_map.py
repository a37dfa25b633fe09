"""Number every action that the environment takes."""

from __future__ import annotations

import attrs

from coach_filters.choices import choices_of, nearest, number_of
from coachcore.api import Array, Discrete, Rows, Space, State, component


@component("filter", "full-discrete-map", aliases=("FullDiscreteActionSpaceMap",), acts_on="action")
@attrs.frozen(kw_only=True)
class FullDiscreteMap:
    """One action of the agent for each of the environment's: buttons pressed together, choices side by side.

    Actions keep the names of what they do (``"left + fire"``); doing nothing
    comes first, then fewer buttons before more. A box has no first action:
    `box-discretization` makes a grid of it.
    """

    def space(self, before: Space) -> Discrete:
        number = number_of("full-discrete-map", before)
        return Discrete(number, tuple(before.describe(one) for one in choices_of(before)))

    def init(self, before: Space, count: int) -> State:
        """What each action is to the environment, ``[A, *shape]``."""
        return choices_of(before)

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        return state, state[values]

    def inverse(self, state: State, values: Array) -> Array:
        """The agent's actions ``[N]`` that do `values` ``[N, *shape]``."""
        return nearest(state, values)
