"""Do what the agent thinks best."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from coach_exploration.boxes import into
from coachcore.api import Array, Box, Discrete, Mismatch, Moment, Proposal, Space, State, component


@component("exploration", "greedy", aliases=("Greedy", "GreedyParameters"), actions=["discrete", "box"])
@attrs.frozen(kw_only=True)
class Greedy:
    """The most preferred discrete action (of equals, the first); the mean action of a box, cut off at its bounds."""

    def init(self, space: Space, count: int) -> State:
        if not isinstance(space, Discrete | Box):
            raise Mismatch(f"greedy chooses discrete actions or points of a box, got {space}", where="greedy")
        return None

    def __call__(
        self, state: State, propose: Callable[[], Proposal], space: Space, count: int, moment: Moment
    ) -> tuple[State, Array]:
        preferences = propose().preferences
        if isinstance(space, Discrete):
            return state, preferences.argmax(axis=1)
        return state, into(space, preferences)

    def level(self, state: State, step: int) -> float:
        return 0.0
