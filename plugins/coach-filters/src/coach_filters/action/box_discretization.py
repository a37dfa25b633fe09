"""Let an agent with discrete actions steer a continuous environment."""

from __future__ import annotations

from math import prod

import attrs
import numpy as np

from coach_filters.bounds import bounded_box, within
from coachcore.api import Array, Discrete, IntOrVector, Mismatch, Rows, Space, State, component, param

_MANY = 100_000


@component("filter", "box-discretization", aliases=("BoxDiscretization",), acts_on="action")
@attrs.frozen(kw_only=True)
class BoxDiscretization:
    """A grid over the box: `bins` evenly spaced values from bound to bound in each dimension, one action a point.

    The last dimension changes fastest. Any shape of box will do (the old filter took vectors only).
    """

    bins: IntOrVector = param(ge=1, doc="values of each dimension; one number, or one for each")
    whole: bool = param(default=False, doc="cut the values down to whole numbers")

    def space(self, before: Space) -> Discrete:
        counts = self._counts(before)
        if prod(counts) > _MANY:
            raise Mismatch(
                f"{' x '.join(map(str, counts))} bins make {prod(counts)} actions - take fewer bins",
                where="box-discretization",
            )
        return Discrete(prod(counts))

    def init(self, before: Space, count: int) -> State:
        """The points of the grid, ``[A, *shape]`` float32."""
        box, counts = bounded_box("box-discretization", before), self._counts(before)
        ends = zip(box.low.ravel(), box.high.ravel(), counts, strict=True)
        values = [np.linspace(low, high, number) for low, high, number in ends]
        if self.whole:
            values = [np.trunc(one) for one in values]
        grid = np.stack(np.meshgrid(*values, indexing="ij"), axis=-1) if values else np.zeros((1, 0))
        return within(grid.reshape(-1, *box.shape), box.low, box.high)

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        return state, state[values]

    def _counts(self, before: Space) -> tuple[int, ...]:
        box = bounded_box("box-discretization", before)
        given = self.bins if isinstance(self.bins, tuple) else (self.bins,) * prod(box.shape)
        if len(given) != prod(box.shape):
            raise Mismatch(
                f"{len(given)} numbers of bins do not fit actions of shape {box.shape} - "
                "give one, or one for each dimension",
                where="box-discretization",
            )
        return given
