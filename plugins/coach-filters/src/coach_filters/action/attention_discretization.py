"""Let an agent with discrete actions look at one window after another."""

from __future__ import annotations

from math import prod

import attrs
import numpy as np

from coach_filters.action.grid import bins_of, edges_of, several
from coach_filters.bounds import within
from coach_filters.choices import few, nearest
from coachcore.api import Array, Attention, Discrete, IntOrVector, Mismatch, Rows, Space, State, component, param

_WHERE = "attention-discretization"


@component("filter", "attention-discretization", aliases=("AttentionDiscretization",), acts_on="action")
@attrs.frozen(kw_only=True)
class AttentionDiscretization:
    """A grid of windows over the space: `bins` in each dimension, side by side, one action a window.

    The last dimension changes fastest. Any number of dimensions will do (the old filter took two).
    """

    bins: IntOrVector = param(ge=1, check=several, doc="windows along each dimension; one number, or one for each")
    whole: bool = param(default=False, doc="cut the corners down to whole numbers")

    def space(self, before: Space) -> Discrete:
        return Discrete(len(self._windows(before)))

    def init(self, before: Space, count: int) -> State:
        """The windows, ``[A, 2, D]`` float32."""
        return self._windows(before)

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        return state, state[values]

    def inverse(self, state: State, values: Array) -> Array:
        """The agent's actions ``[N]`` whose window is nearest to `values` ``[N, 2, D]``."""
        return nearest(state, values)

    def _windows(self, before: Space) -> Array:
        if not isinstance(before, Attention):
            raise Mismatch(f"{_WHERE} needs actions that are windows (attention), got {before}", where=_WHERE)
        box = before.within
        counts = bins_of(_WHERE, self.bins, box)
        few(_WHERE, prod(counts), f"{' x '.join(map(str, counts))} windows")
        lines = edges_of(box, tuple(count + 1 for count in counts), whole=self.whole)
        corners = [
            np.meshgrid(*part, indexing="ij") for part in ([line[:-1] for line in lines], [line[1:] for line in lines])
        ]
        grid = np.stack([np.stack(one, axis=-1).reshape(-1, len(counts)) for one in corners], axis=1)  # [A, 2, D]
        found = within(grid, box.low, box.high)
        if not before.contains(found):
            raise Mismatch(f"windows of size {before.size:g} are wanted, {counts} bins make others", where=_WHERE)
        return found
