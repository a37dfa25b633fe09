"""What policies over boxes share: which boxes they serve, the way back into one, and a network's own Gaussian."""

from __future__ import annotations

import numpy as np

from coachcore.api import Array, Box, Mismatch, Proposal, Space


def boxed(who: str, space: Space, *, bounded: str = "") -> Box:
    """`space`, if it is a box; with `bounded` (what to do about it) also if it has finite bounds. Raises `Mismatch`."""
    if not isinstance(space, Box):
        raise Mismatch(
            f"{who} adds noise to real numbers (a box), got {space} - discrete actions can use 'e-greedy'", where=who
        )
    if bounded and not space.bounded:
        raise Mismatch(f"{who} needs an action space with finite bounds, got {space} - {bounded}", where=who)
    return space


def into(space: Box, points: Array) -> Array:
    """The nearest float32 points of the box, a fresh array ``[N, *shape]`` for points ``[N, *shape]`` or ``[N, A]``.

    A bound that float32 cannot hold (0.3) may be rounded past: such a point takes one step back.
    """
    points = points.reshape(len(points), *space.shape)
    near: Array = np.minimum(np.maximum(points, space.low), space.high).astype(np.float32)
    above, below = near > space.high, near < space.low
    if above.any() or below.any():
        near = np.where(above, np.nextafter(near, np.float32(-np.inf)), near)
        near = np.where(below, np.nextafter(near, np.float32(np.inf)), near)
    return near


def owned(proposal: Proposal, rng: np.random.Generator) -> Array:
    """A draw ``[N, A]`` from the Gaussian that the network gave itself; squashed by tanh where it has a centre.

    The proposal must have a deviation.
    """
    squashed = proposal.centre is not None
    mean = proposal.centre if squashed else proposal.preferences
    noise = rng.standard_normal(mean.shape, np.float32)  # type: ignore[union-attr]
    drawn = mean + proposal.deviation * noise  # type: ignore[operator]
    return np.tanh(drawn) if squashed else drawn
