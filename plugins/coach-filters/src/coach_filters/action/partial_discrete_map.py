"""Let the agent choose among some actions only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from coach_filters.choices import nearest
from coachcore.api import Array, BadSetting, Discrete, Mismatch, Rows, Space, State, component, param

_WHERE = "partial-discrete-map"


@component("filter", "partial-discrete-map", aliases=("PartialDiscreteActionSpaceMap",), acts_on="action")
@attrs.frozen(kw_only=True)
class PartialDiscreteMap:
    """The agent's actions are numbered 0, 1, ...; each does the one of `actions` at its place.

    Any action of any space can be listed: the number of a choice, the numbers of a box, the zeros and
    ones of buttons, both corners of a window, or the parts of several choices, one after the other.
    """

    actions: tuple[Any, ...] = param(
        type="float[] | float[][] | float[][][]", doc="what the environment does for each action of the agent"
    )
    names: tuple[str, ...] = param(default=(), doc="what the actions are called, one for each")

    def __attrs_post_init__(self) -> None:
        if not self.actions:
            raise BadSetting("there is no action to choose - list one or more", where=_WHERE)
        if self.names and len(self.names) != len(self.actions):
            raise BadSetting(
                f"{len(self.names)} names were given for {len(self.actions)} actions - give as many, or none",
                where="names",
            )

    def space(self, before: Space) -> Discrete:
        table = self._table(before)
        return Discrete(len(table), self.names or tuple(before.describe(one) for one in table))

    def init(self, before: Space, count: int) -> State:
        """What each action is to the environment, ``[A, *shape]``."""
        return self._table(before)

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        return state, state[values]

    def inverse(self, state: State, values: Array) -> Array:
        """The agent's actions ``[N]`` whose deed is nearest to `values` ``[N, *shape]``."""
        return nearest(state, values)

    def _table(self, before: Space) -> Array:
        rows = [_read(action, before) for action in self.actions]
        return np.concatenate(rows).astype(before.dtype)


def _read(action: float | Sequence[Any], before: Space) -> Array:
    """One action as a batch ``[1, *shape]``; raises `Mismatch` where it is none of the environment's."""
    try:
        values = np.array(action, np.float64).reshape(1, *before.shape)
    except ValueError:
        raise Mismatch(
            f"the action {action} does not have the shape {before.shape} of the environment's actions", where=_WHERE
        ) from None
    if not before.contains(values):
        raise Mismatch(f"the action {action} is none of the environment's - it takes {before}", where=_WHERE)
    return values
