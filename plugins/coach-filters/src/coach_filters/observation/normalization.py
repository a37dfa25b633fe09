"""Shift and scale observations by what has been seen so far."""

from __future__ import annotations

import attrs
import numpy as np

from coachcore.api import Array, Box, Mismatch, Rows, Space, State, component, param


@component("filter", "normalization", aliases=("ObservationNormalizationFilter",), acts_on="observation")
@attrs.frozen(kw_only=True)
class Normalization:
    """Running mean 0 and deviation 1 in every component, cut off at `clip` deviations.

    The state is the count, the mean and M2 (the sum of squared distances from
    the mean), float64, shared by all environments. The statistics take in the
    new values first and then scale them: ``(x - mean) / sqrt(M2 / (count - 1) + epsilon)``.
    Values of several environments at once move the statistics as the same
    values one after the other would (but for rounding).

    Welford 1962; Chan, Golub and LeVeque 1983 (eq. 2.1) for batches. The old
    filter kept sums of squares, which cancel, and never scaled by less than 0.1.
    """

    clip: float = param(default=5.0, gt=0, doc="furthest a value may lie from the mean", unit="deviations")
    epsilon: float = param(default=1e-8, gt=0, doc="added to the variance, in squared units of the observation")
    _edge: Array = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_edge", np.float32(self.clip))

    def space(self, before: Space) -> Box:
        if not isinstance(before, Box):
            raise Mismatch(f"only real numbers (a box) have a mean, got {before}", where="normalization")
        return Box(before.shape, -self._edge, self._edge, names=before.names)

    def init(self, before: Space, count: int) -> State:
        return {"count": 0, "mean": np.zeros(before.shape), "m2": np.zeros(before.shape)}

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        if not (rows.evaluating and state["count"]):  # before the first value there is nothing to go by
            state = merge(state, values)
        variance = state["m2"] / max(state["count"] - 1, 1)
        scaled = ((values - state["mean"]) / np.sqrt(variance + self.epsilon)).astype(np.float32)
        return state, np.minimum(np.maximum(scaled, -self._edge), self._edge)


def merge(state: State, values: Array) -> State:
    """The statistics after `values` ``[M, ...]`` too; the state handed in is left alone."""
    new = len(values)
    if new == 0:
        return state
    if new == 1:  # Welford: the usual case, without the price of a reduction
        mean, inner = values[0].astype(np.float64), 0.0
    else:
        mean = values.mean(axis=0, dtype=np.float64)
        inner = np.square(values - mean).sum(axis=0)
    before = state["count"]
    count, gap = before + new, mean - state["mean"]
    return {
        "count": count,
        "mean": state["mean"] + gap * (new / count),
        "m2": state["m2"] + inner + np.square(gap) * (before * new / count),
    }
