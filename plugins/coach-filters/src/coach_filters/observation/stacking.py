"""Show the agent the last few observations at once."""

from __future__ import annotations

import attrs
import numpy as np

from coachcore.api import Array, Box, Mismatch, Rows, Space, State, component, param


@component("filter", "stacking", aliases=("ObservationStackingFilter",), acts_on="observation", episodic=True)
@attrs.frozen(kw_only=True)
class Stacking:
    """The last `size` observations of each environment, along the last axis, the newest last.

    A picture without channels ``[H, W]`` becomes ``[H, W, size]``; whatever has a
    last axis to lengthen becomes ``[H, W, C * size]`` or, a vector, ``[F * size]``,
    observation after observation. An episode begins with its first observation
    `size` times. Mnih et al. 2015, 10.1038/nature14236, methods.

    The old filter showed the stack without the newest observation wherever it
    was told not to remember, and forgot bounds and names.
    """

    size: int = param(default=4, ge=1, doc="observations shown at once")

    def space(self, before: Space) -> Box:
        if not isinstance(before, Box) or not before.shape:
            raise Mismatch(f"vectors and pictures (boxes) can be stacked, got {before}", where="stacking")
        low, high = (_wide(bound[None], self.size)[0] for bound in (before.low, before.high))
        names = tuple(_aged(name, self.size - 1 - age) for age in range(self.size) for name in before.names)
        if len(before.shape) > 1:
            names = ()  # a component's place moves where there is more than one axis
        return attrs.evolve(before, shape=low.shape, low=low, high=high, names=names)

    def init(self, before: Space, count: int) -> State:
        """The stacks of all environments, ``[N, *space(before).shape]``."""
        return np.zeros((count, *self.space(before).shape), before.dtype)

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        if rows.first:
            seen = _wide(values, self.size)
        else:
            newest = values[..., None] if values.ndim == 3 else values
            seen = np.concatenate([state[rows.envs][..., newest.shape[-1] :], newest], axis=-1)
        if len(seen) == len(state):
            return seen, seen  # nobody writes to either
        state = state.copy()
        state[rows.envs] = seen
        return state, seen


def _wide(values: Array, size: int) -> Array:
    """`values` ``[M, ...]`` `size` times over along the last axis; a picture without channels gets one first."""
    return np.concatenate([values[..., None] if values.ndim == 3 else values] * size, axis=-1)


def _aged(name: str, age: int) -> str:
    return f"{name} {age} before" if age else name
