"""The better an action looks, the more often it is tried."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from coach_exploration.draw import drawn
from coachcore.api import Array, Discrete, Mismatch, Moment, Proposal, Schedule, Space, State, component, param

_COLDEST = 1e-30
"""Below this temperature only the best actions have any chance; dividing by it cannot overflow."""


@component("exploration", "boltzmann", aliases=("Boltzmann", "BoltzmannParameters"), actions="discrete")
@attrs.frozen(kw_only=True)
class Boltzmann:
    """Actions drawn with chances ``softmax(values / temperature)``; in evaluation the best one.

    A schedule may end at 0: then equals are drawn fairly among the best. Sutton
    and Barto, 2nd edition, equation 2.11 and section 13.1. The old policy knew
    one action only and overflowed for large values; here the greatest value is
    taken off first. A step takes N uniform numbers.
    """

    temperature: Schedule = param(
        default=1.0,
        type="schedule",
        ge=0,
        doc="how little the differences between values count, in the values' own units",
    )

    def init(self, space: Space, count: int) -> State:
        if not isinstance(space, Discrete):
            raise Mismatch(
                f"boltzmann draws from discrete actions, got {space} - a box can use 'additive-noise'",
                where="boltzmann",
            )
        return None

    def __call__(
        self, state: State, propose: Callable[[], Proposal], space: Space, count: int, moment: Moment
    ) -> tuple[State, Array]:
        values = propose().preferences
        if moment.evaluating:
            return state, values.argmax(axis=1)
        return state, drawn(chances(values, self.temperature(moment.step)), moment.rng)

    def level(self, state: State, step: int) -> float:
        return float(self.temperature(step))


def chances(values: Array, temperature: float) -> Array:
    """``exp((value - greatest) / temperature)`` ``[N, A]``: chances that need not sum to 1, the greatest is 1."""
    gaps = values - values.max(axis=1, keepdims=True).astype(np.float64)
    found: Array = np.exp(gaps / max(temperature, _COLDEST))
    return found
