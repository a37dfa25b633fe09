"""Noise that remembers: a random walk drawn back to its mean."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from coach_exploration.boxes import boxed, into
from coachcore.api import Array, FloatOrVector, Mismatch, Moment, Proposal, Space, State, component, param


@component("exploration", "ou-process", aliases=("OUProcess", "OUProcessParameters"), actions="box")
@attrs.frozen(kw_only=True)
class OUProcess:
    """``x += theta (mu - x) dt + sigma sqrt(dt) normal``, and x is added to the preferred action.

    What is done is cut off at the bounds. Each environment has a walk of its own, which begins at 0
    with each of its episodes. In evaluation there is no noise and the walk stands still.
    A step takes N A normal numbers. Ornstein and Uhlenbeck 1930; Lillicrap et al. 2016, arXiv:1509.02971.
    """

    mu: FloatOrVector = param(default=0.0, doc="where the walk is drawn to, in the action's own units")
    theta: float = param(default=0.15, ge=0, doc="how strongly it is drawn there, per unit of time")
    sigma: float = param(default=0.2, ge=0, doc="how far it is thrown, in the action's own units per root of time")
    dt: float = param(default=0.01, gt=0, doc="time between two steps")

    def init(self, space: Space, count: int) -> State:
        """Each environment's walk, ``[N, *shape]`` float64."""
        shape = boxed("ou-process", space).shape
        if np.ndim(self.mu) and (not shape or len(self.mu) not in (1, shape[-1])):  # type: ignore[arg-type]
            raise Mismatch(
                f"mu has {len(self.mu)} numbers, actions have shape {shape} - give one, or one for each component",  # type: ignore[arg-type]
                where="ou-process",
            )
        return np.zeros((count, *shape))

    def __call__(
        self, state: State, propose: Callable[[], Proposal], space: Space, count: int, moment: Moment
    ) -> tuple[State, Array]:
        wish = propose().preferences.reshape(count, *space.shape)
        if moment.evaluating:
            return state, into(space, wish)  # type: ignore[arg-type]  # `init` refuses whatever is no box
        if moment.first is not None:
            state = np.where(moment.first.reshape(count, *(1 for _ in space.shape)), 0.0, state)
        thrown = self.sigma * self.dt**0.5 * moment.rng.standard_normal(state.shape)
        walk = state + (self.theta * self.dt) * (self.mu - state) + thrown
        return walk, into(space, wish + walk)  # type: ignore[arg-type]

    def level(self, state: State, step: int) -> float:
        """How far the walks are from 0 on average."""
        return float(np.abs(state).mean())
