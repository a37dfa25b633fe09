"""Measure rewards from their moving average."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from coachcore.api import Array, Box, Mismatch, Rows, Space, State, component, param


@component("filter", "ewma-normalization", aliases=("RewardEwmaNormalizationFilter",), acts_on="reward")
@attrs.frozen(kw_only=True)
class EwmaNormalization:
    """``reward - average``, where the average moves by `alpha` of the way to the new rewards' mean at each step.

    The first rewards become the average. The state is the average, and whether
    there is one yet (the old filter did not save that, and began anew when it was
    restored). An exponentially weighted moving average: Roberts 1959.
    """

    alpha: float = param(default=0.01, gt=0, le=1, doc="share of the way that the average moves at each step")

    def space(self, before: Space) -> Box:
        """As far from the average as two rewards can be apart."""
        if not isinstance(before, Box):
            raise Mismatch(f"only real numbers (a box) have an average, got {before}", where="ewma-normalization")
        widest = before.high - before.low
        return Box(before.shape, -widest, widest)

    def init(self, before: Space, count: int) -> State:
        return {"average": 0.0, "begun": False}

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        if len(values) and not (rows.evaluating and state["begun"]):
            mean = float(np.add.reduce(values)) / len(values)
            average = state["average"] + self.alpha * (mean - state["average"]) if state["begun"] else mean
            state = {"average": average, "begun": True}
        return state, values - state["average"]

    def merge(self, before: State, states: Sequence[State]) -> State:
        """The mean of the averages of `states`, all of which began as `before`."""
        averages = [state["average"] for state in states if state["begun"]]
        return {"average": sum(averages) / len(averages), "begun": True} if averages else before
