"""Let an agent with discrete actions steer a continuous environment."""

from __future__ import annotations

from math import prod

import attrs
import numpy as np

from coach_filters.action.grid import bins_of, edges_of, several
from coach_filters.bounds import bounded_box, within
from coach_filters.choices import choices_of, few, nearest, number_of, side_by_side
from coachcore.api import Array, Box, Compound, Discrete, IntOrVector, Rows, Space, State, component, param

_WHERE = "box-discretization"


@component("filter", "box-discretization", aliases=("BoxDiscretization",), acts_on="action")
@attrs.frozen(kw_only=True)
class BoxDiscretization:
    """A grid over the box: `bins` evenly spaced values from bound to bound in each dimension, one action a point.

    The last dimension changes fastest. Any shape of box will do (the old filter
    took vectors only, and wrote its own settings anew). Of parts side by side,
    the boxes become grids and the others keep all their choices.
    """

    bins: IntOrVector = param(ge=1, check=several, doc="values of each dimension; one number, or one for each")
    whole: bool = param(default=False, doc="cut the values down to whole numbers")

    def space(self, before: Space) -> Discrete:
        parts, counts = _parts(before), self._counts(before)
        others = [number_of(_WHERE, part) for part in parts if not isinstance(part, Box)]
        sizes = [*counts, *others]
        return Discrete(few(_WHERE, prod(sizes), f"{' x '.join(map(str, sizes))} bins"))

    def init(self, before: Space, count: int) -> State:
        """The points of the grid, ``[A, *shape]`` float32."""
        left, tables = list(self._counts(before)), []
        for part in _parts(before):
            if not isinstance(part, Box):
                tables.append(choices_of(part))
                continue
            own = [left.pop(0) for _ in range(prod(part.shape))]
            lines = edges_of(part, tuple(own), whole=self.whole)
            grid = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1) if lines else np.zeros((1, 0))
            tables.append(within(grid.reshape(-1, *part.shape), part.low, part.high))
        return side_by_side(tables) if isinstance(before, Compound) else tables[0]

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        return state, state[values]

    def inverse(self, state: State, values: Array) -> Array:
        """The agent's actions ``[N]`` whose point is nearest to `values` ``[N, *shape]``."""
        return nearest(state, values)

    def _counts(self, before: Space) -> tuple[int, ...]:
        boxes = [bounded_box(_WHERE, part) for part in _parts(before) if isinstance(part, Box)]
        return bins_of(_WHERE, self.bins, *boxes)


def _parts(before: Space) -> list[Space]:
    """The parts of `before` that hold a box; raises `Mismatch` where there is none."""
    parts = list(before.parts.values()) if isinstance(before, Compound) else [before]
    if not any(isinstance(part, Box) for part in parts):
        bounded_box(_WHERE, before)
    return parts
