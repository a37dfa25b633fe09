"""Shift and scale observations or rewards by what has been seen so far."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from coachcore.api import Array, Box, Mismatch, Rows, Space, State, component, param


@component(
    "filter",
    "normalization",
    aliases=("ObservationNormalizationFilter", "RewardNormalizationFilter"),
    acts_on=["observation", "reward"],
)
@attrs.frozen(kw_only=True)
class Normalization:
    """Running mean 0 and deviation 1 in every component, cut off at `clip` deviations.

    The state is the count, the mean and M2 (the sum of squared distances from
    the mean), float64, shared by all environments. The statistics take in the
    new values first and then scale them: ``(x - mean) / sqrt(M2 / (count - 1) + epsilon)``.
    Values of several environments at once move the statistics as the same
    values one after the other would (but for rounding), and so do the states of
    several workers (`merge`). With ``stored = false`` memory keeps observations
    as they came, and every time that they are shown to the network they are
    scaled by what is known then.

    Welford 1962; Chan, Golub and LeVeque 1983 (eq. 2.1) for batches. The old
    filter kept sums of squares, which cancel, never scaled by less than 0.1,
    and mixed up the statistics of filters of one name.
    """

    clip: float = param(default=5.0, gt=0, doc="furthest a value may lie from the mean", unit="deviations")
    epsilon: float = param(default=1e-8, gt=0, doc="added to the variance, in squared units of the observation")
    stored: bool = param(
        default=True, doc="false: memory keeps observations as they came, and only the network is shown them scaled"
    )
    _edge: Array = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_edge", np.float32(self.clip))

    def space(self, before: Space) -> Box:
        if not isinstance(before, Box):
            raise Mismatch(f"only real numbers (a box) have a mean, got {before}", where="normalization")
        return Box(before.shape, -self._edge, self._edge, names=before.names)

    def init(self, before: Space, count: int) -> State:
        """Count, mean and M2: ``[*shape]`` float64, or plain numbers for single ones such as rewards."""
        nothing = np.zeros(before.shape) if before.shape else 0.0
        return {"count": 0, "mean": nothing, "m2": nothing}

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        if not (rows.evaluating and state["count"]):  # before the first value there is nothing to go by
            state = learned(state, values)
        scale = np.sqrt(state["m2"] / max(state["count"] - 1, 1) + self.epsilon)
        scaled = ((values - state["mean"]) / scale).astype(np.float32)
        return state, np.minimum(np.maximum(scaled, -self._edge), self._edge)

    def merge(self, before: State, states: Sequence[State]) -> State:
        """What `before` says and what each of `states`, all of which began there, has seen since."""
        merged = before
        for state in states:
            merged = joined(merged, _since(before, state))
        return merged


def learned(state: State, values: Array) -> State:
    """The statistics after `values` ``[M, ...]`` too; the state handed in is left alone."""
    new = len(values)
    if new == 0:
        return state
    if values.ndim == 1:  # rewards: plain numbers, which cost a third of arrays of one
        mean = float(np.add.reduce(values, dtype=np.float64)) / new
        gaps = values - mean
        return joined(state, {"count": new, "mean": mean, "m2": float(gaps @ gaps)})
    if new == 1:  # Welford: the usual case, without the price of a reduction
        return joined(state, {"count": 1, "mean": values[0].astype(np.float64), "m2": 0.0})
    mean = np.add.reduce(values, axis=0, dtype=np.float64) / new
    gaps = values - mean
    return joined(state, {"count": new, "mean": mean, "m2": np.add.reduce(gaps * gaps, axis=0)})


def joined(one: State, other: State) -> State:
    """The statistics of two lots of values together."""
    if not other["count"]:
        return one
    count, gap = one["count"] + other["count"], other["mean"] - one["mean"]
    return {
        "count": count,
        "mean": one["mean"] + gap * (other["count"] / count),
        "m2": one["m2"] + other["m2"] + gap * gap * (one["count"] * other["count"] / count),
    }


def _since(before: State, state: State) -> State:
    """The statistics of the values that made `state` of `before`: `joined` the other way round."""
    count = state["count"] - before["count"]
    if not count:
        return {**before, "count": 0}
    mean = state["mean"] + (state["mean"] - before["mean"]) * (before["count"] / count)
    gap = mean - before["mean"]
    inner = state["m2"] - before["m2"] - gap * gap * (before["count"] * count / state["count"])
    return {"count": count, "mean": mean, "m2": np.maximum(inner, 0.0) if np.ndim(inner) else max(inner, 0.0)}
