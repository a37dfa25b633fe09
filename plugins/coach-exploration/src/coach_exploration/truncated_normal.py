"""Gaussian noise that never leaves the bounds."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from coach_exploration.boxes import boxed, into
from coachcore.api import (
    Array,
    Box,
    FloatOrVector,
    Mismatch,
    Moment,
    Proposal,
    Schedule,
    Space,
    State,
    component,
    param,
)

_USUAL = 0.1
_NEARLY = 1.0 - 1e-12
"""The widest that tanh is taken back: 14 from 0."""


@component("exploration", "truncated-normal", aliases=("TruncatedNormal", "TruncatedNormalParameters"), actions="box")
@attrs.frozen(kw_only=True)
class TruncatedNormal:
    """A normal around the preferred action, cut to the bounds: no heap of actions at the edges.

    Unlike clipping, whatever would fall outside is drawn again, which is what
    the inverse of the normal's distribution does in one go. Where `deviation` is
    left out, a network that gives one is believed (its own Gaussian is drawn from,
    before tanh where it squashes); a network that gives none gets 0.1. The old
    policy took the deviation for a share of the range whatever `relative` said,
    and drew in evaluation too. A step takes N A uniform numbers; SciPy is imported at the first draw.

    Devroye, Non-Uniform Random Variate Generation, 1986, section II.2.
    """

    deviation: Schedule | None = param(
        default=None,
        type="schedule",
        ge=0,
        doc="standard deviation before truncation, while training; left out: the network's own, or 0.1 without one",
    )
    evaluation_deviation: float = param(default=0.0, ge=0, doc="the same in evaluation")
    relative: bool = param(
        default=True,
        doc="deviations are shares of each component's range (high - low); else in the action's own units",
    )
    low: FloatOrVector | None = param(default=None, doc="lowest action drawn; left out: the action space's own bound")
    high: FloatOrVector | None = param(default=None, doc="highest action drawn; left out: the action space's own bound")

    def init(self, space: Space, count: int) -> State:
        """The deviation last used, for people to watch."""
        box = boxed("truncated-normal", space, bounded="'ou-process' needs no bounds")
        try:
            low, high = self._edges(box)
        except ValueError:
            raise Mismatch(
                f"low {self.low} and high {self.high} do not fit actions of shape {box.shape}", where="truncated-normal"
            ) from None
        if low.shape != box.shape or not np.all((box.low <= low) & (low <= high) & (high <= box.high)):
            raise Mismatch(
                f"low {self.low} and high {self.high} must lie within the action space and in this order, got {box}",
                where="truncated-normal",
            )
        return 0.0 if self.deviation is None else None

    def __call__(
        self, state: State, propose: Callable[[], Proposal], space: Space, count: int, moment: Moment
    ) -> tuple[State, Array]:
        box: Box = space  # type: ignore[assignment]  # `init` refuses whatever is no box
        proposal, share = propose(), self.evaluation_deviation
        if not moment.evaluating:
            if self.deviation is None and proposal.deviation is not None:
                points = _owned(proposal, *self._edges(box), moment.rng)
                return float(proposal.deviation.mean()), into(box, points)
            share = _USUAL if self.deviation is None else self.deviation(moment.step)
            state = None if self.deviation is not None else share
        wish = proposal.preferences.reshape(count, *box.shape)
        if not share:
            return state, into(box, wish)
        spread = share * (box.high - box.low) if self.relative else np.full(box.shape, float(share))
        return state, into(box, truncated(wish, spread, *self._edges(box), moment.rng.random(wish.shape)))

    def level(self, state: State, step: int) -> float:
        """The deviation as it is set; where the network gives it, the mean one last drawn with."""
        return float(state if self.deviation is None else self.deviation(step))

    def _edges(self, box: Box) -> tuple[Array, Array]:
        low = box.low if self.low is None else np.broadcast_to(np.asarray(self.low, float), box.shape)
        high = box.high if self.high is None else np.broadcast_to(np.asarray(self.high, float), box.shape)
        return low, high


def _owned(proposal: Proposal, low: Array, high: Array, rng: np.random.Generator) -> Array:
    """A draw ``[N, A]`` from the network's own Gaussian, cut to ``[low, high]`` of shape `shape` each.

    Where the network squashes, the bounds are taken back through tanh; one at -1 or 1 is hardly a bound there.
    """
    count, deviation = len(proposal.preferences), np.asarray(proposal.deviation, float)
    edges = [np.ravel(edge).astype(float) for edge in (low, high)]
    uniform = rng.random((count, deviation.shape[1]))
    if proposal.centre is None:
        return truncated(proposal.preferences, deviation, *edges, uniform)
    before = [np.arctanh(np.clip(edge, -_NEARLY, _NEARLY)) for edge in edges]
    return np.tanh(truncated(proposal.centre, deviation, *before, uniform))


def truncated(mean: Array, deviation: Array, low: Array, high: Array, uniform: Array) -> Array:
    """Normals of `mean` and `deviation` cut to [low, high], all ``[N, *shape]`` or spread to it, from uniform numbers.

    Each is worked out in the lower tail, where the distribution function keeps
    its digits; 38 deviations out nothing is left of it and the nearer bound is drawn.
    """
    from scipy.special import ndtr, ndtri

    safe = np.where(deviation > 0, deviation, 1.0)  # a component whose bounds are equal
    lower, upper = (low - mean) / safe, (high - mean) / safe
    turned = lower + upper > 0  # more of the interval lies above the mean: mirror it
    lower, upper = np.where(turned, -upper, lower), np.where(turned, -lower, upper)
    floor, ceiling = ndtr(lower), ndtr(upper)
    shares = np.where(ceiling > floor, ndtri(floor + uniform * (ceiling - floor)), upper)
    drawn = np.clip(shares, lower, upper)
    found: Array = np.clip(mean + safe * np.where(turned, -drawn, drawn), low, high)
    return found
