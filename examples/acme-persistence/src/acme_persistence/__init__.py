"""Exploration by actions that are kept up for a while."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import attrs
import numpy as np

from coachcore.api import Array, Discrete, Mismatch, Moment, Proposal, Schedule, Space, State, component, param


@component("exploration", "ez-greedy", actions="discrete")
@attrs.frozen(kw_only=True)
class EZGreedy:
    """With probability epsilon any action, for as many steps as a zeta distribution says; else the preferred one.

    Dabney, Ostrovski and Barreto, 2020, arXiv:2006.01782, algorithm 1. A new
    episode ends what was going on in the old one.
    """

    epsilon: Schedule = param(default=0.05, type="schedule", ge=0, le=1, doc="chance to begin a random action")
    mu: float = param(default=2.0, gt=1, doc="how fast long durations become rare: n steps have weight n ** -mu")
    longest: int = param(default=100, ge=1, doc="steps that an action is kept up at most", unit="steps")

    def init(self, space: Space, count: int) -> State:
        if not isinstance(space, Discrete):
            raise Mismatch(f"ez-greedy repeats one of several actions, got {space}", where="ez-greedy")
        return {"left": np.zeros(count, np.int64), "action": np.zeros(count, np.int64)}

    def __call__(
        self, state: State, propose: Callable[[], Proposal], space: Space, count: int, moment: Moment
    ) -> tuple[State, Array]:
        if moment.evaluating:
            return state, propose().preferences.argmax(axis=1)
        begins, lasts, which = moment.rng.random((3, count))
        left = state["left"] if moment.first is None else np.where(moment.first, 0, state["left"])
        drawn = (left == 0) & (begins < self.epsilon(moment.step))
        durations = 1 + np.searchsorted(_chances(self.mu, self.longest), lasts)
        left = np.where(drawn, durations, left)
        action = np.where(drawn, (which * space.n).astype(np.int64), state["action"])  # type: ignore[union-attr]
        keeps = left > 0
        chosen = action if keeps.all() else np.where(keeps, action, propose().preferences.argmax(axis=1))
        return {"left": np.maximum(left - 1, 0), "action": action}, chosen.copy()

    def level(self, state: State, step: int) -> float:
        return float(self.epsilon(step))


@cache
def _chances(mu: float, longest: int) -> Array:
    """The chance of each duration from 1 to `longest`, added up ``[longest - 1]``: the last takes the rest."""
    weights = np.arange(1.0, longest + 1.0) ** -mu
    chances = np.cumsum(weights / weights.sum())[:-1]
    chances.flags.writeable = False
    return chances
