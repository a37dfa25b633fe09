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

    Planes lie one behind the other, and what is shown is a view of them: moving on
    copies whole planes (2 us where interleaved ones take 40), and a memory that
    keeps planes once (`experience-replay`) takes them as they are. The old filter
    showed the stack without the newest observation wherever it was told not to
    remember, and forgot bounds and names.
    """

    size: int = param(default=4, ge=1, doc="observations shown at once")

    def space(self, before: Space) -> Box:
        if not isinstance(before, Box) or not before.shape:
            raise Mismatch(f"vectors and pictures (boxes) can be stacked, got {before}", where="stacking")
        low, high = (_shown(np.concatenate([_planes(bound[None])] * self.size, 1))[0] for bound in _bounds(before))
        names = () if len(before.shape) == 2 else before.names
        aged = tuple(_aged(name, self.size - 1 - age) for age in range(self.size) for name in names)
        return attrs.evolve(before, shape=low.shape, low=low, high=high, names=aged)

    def init(self, before: Space, count: int) -> State:
        """The stacks of all environments with their last axis first, ``[N, C * size, ...]``."""
        *sides, depth = self.space(before).shape
        return np.zeros((count, depth, *sides), before.dtype)

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        newest = _planes(values)
        if rows.first:
            stacks = np.concatenate([newest] * self.size, axis=1)
        else:
            older = state if len(values) == len(state) else state[rows.envs]
            stacks = np.concatenate([older[:, newest.shape[1] :], newest], axis=1)
        if len(stacks) == len(state):
            return stacks, _shown(stacks)  # nobody writes to either
        state = state.copy()
        state[rows.envs] = stacks
        return state, _shown(stacks)


def _bounds(box: Box) -> tuple[Array, Array]:
    return box.low, box.high


def _planes(values: Array) -> Array:
    """`values` ``[M, ..., C]`` with their last axis first, ``[M, C, ...]``; a picture without channels gets one."""
    rank = values.ndim
    return values[:, None] if rank == 3 else values.transpose(0, rank - 1, *range(1, rank - 1))


def _shown(stacks: Array) -> Array:
    return stacks.transpose(0, *range(2, stacks.ndim), 1)


def _aged(name: str, age: int) -> str:
    return f"{name} {age} before" if age else name
