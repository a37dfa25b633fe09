"""Filters: what is done to observations, rewards or actions on their way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from coachcore.spaces import Space
from coachcore.types import Array, Rows, State


class Filter(Protocol):
    """A pure rule from values to values; `acts_on` in @component says which: observation, reward or action.

    Observation and reward filters run from the environment to the agent; action
    filters run from the agent to the environment, listed environment first.

    Must keep true: what comes out lies in `space(before)`; nothing handed in is
    changed; a stateless rule gives for a batch what it gives row by row; the
    state alone decides, so evaluation drops it and a checkpoint saves it (a
    filter marked ``episodic`` in @component, such as frame stacking, remembers
    within an episode only: evaluation moves a copy of its state on).

    An observation filter with a setting ``stored`` that is false keeps the shape and
    comes last: memory keeps what it is given, and each time that the network is shown
    it, acting or learning, the filter is applied as it stands then.
    """

    def space(self, before: Space) -> Space:
        """The space after the filter; for an action filter, the one that the agent sees
        where the environment has `before`. Raises `Mismatch` for a space it cannot take."""
        ...

    def init(self, before: Space, count: int) -> State:
        """The state before the first value, for `count` environments; None where there is none."""
        ...

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        """Values ``[M, ...]`` of the environments `rows.envs` -> new state and filtered values ``[M, ...]``.

        With `rows.evaluating`, values are filtered by what the state says and teach it
        nothing, so one environment's value does not depend on its neighbours'. Rewards
        are ``[M]``. The array handed in may be used again: never write to it.
        """
        ...


class Mergeable(Filter, Protocol):
    """A filter whose state is what it has learned of the values: workers that see some each can put theirs together."""

    def merge(self, before: State, states: Sequence[State]) -> State:
        """What `before` knows and what each of `states`, all of which began there, has seen since."""
        ...


class Reversible(Filter, Protocol):
    """An action filter that also says what the agent would have chosen, such as for actions that people recorded."""

    def inverse(self, state: State, values: Array) -> Array:
        """The agent's actions whose outcome is nearest to the environment's actions `values` ``[N, *shape]``."""
        ...
