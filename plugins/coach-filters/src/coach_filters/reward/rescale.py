"""Multiply rewards by a number."""

from __future__ import annotations

import math

import attrs
import numpy as np

from coachcore.api import Array, BadSetting, Box, Mismatch, Rows, Space, State, component, param


def _usable(_part: object, field: attrs.Attribute[float], value: float) -> None:
    if value == 0 or not math.isfinite(value):
        raise BadSetting(
            f"a factor of {value} leaves nothing to learn from - use a finite number other than 0", where=field.name
        )


@component("filter", "rescale", aliases=("RewardRescaleFilter",), acts_on="reward")
@attrs.frozen(kw_only=True)
class Rescale:
    """``reward * factor``; a negative factor turns the bounds round as well (the old filter failed there)."""

    factor: float = param(doc="what every reward is multiplied by", check=_usable)

    def space(self, before: Space) -> Box:
        if not isinstance(before, Box):
            raise Mismatch(f"only real numbers (a box) can be rescaled, got {before}", where="rescale")
        ends = before.low * self.factor, before.high * self.factor
        return attrs.evolve(before, low=np.minimum(*ends), high=np.maximum(*ends))

    def init(self, before: Space, count: int) -> State:
        return None

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        return None, values * self.factor
