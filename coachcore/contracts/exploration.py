"""Exploration policies: from what the agent would like to what is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from coachcore.spaces import Space
from coachcore.types import Array, Moment, Proposal, State


class ExplorationPolicy(Protocol):
    """Chooses actions for N environments at once, with one stream of chance.

    In @component: ``actions`` (``discrete``, ``box`` or both: the spaces it serves), ``asks``
    (``deviation`` or ``ensemble``: it refuses an agent whose proposal has none), ``unclipped`` (what it draws in
    training may leave the bounds, because its probability belongs to it; the run cuts off what
    the environment is given) and ``noisy`` (noisy layers draw while it trains). A proposal's
    arrays are valid during the call only.

    Must keep true: actions lie in `space` (unless marked ``unclipped``); with `moment.evaluating` the choice
    is greedy (or what the policy's evaluation settings say) and the returned
    state is dropped; the same state, stream and proposal give the same actions;
    `propose` is called at most once, and not at all when nobody needs it; each environment has
    chance of its own, and what is preferred alike is explored alike.
    """

    def init(self, space: Space, count: int) -> State:
        """The state before the first choice. Raises `Mismatch` for an action space it cannot serve."""
        ...

    def __call__(
        self, state: State, propose: Callable[[], Proposal], space: Space, count: int, moment: Moment
    ) -> tuple[State, Array]:
        """New state and actions: ``[N]`` int64 for a discrete space, ``[N, *shape]`` float32 for a box."""
        ...

    def level(self, state: State, step: int) -> float:
        """How much it explores now, for people to watch (epsilon, deviation, temperature)."""
        ...
