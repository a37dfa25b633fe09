"""Explore by a network whose weights are noisy."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from coach_exploration.boxes import into
from coachcore.api import Array, Box, Discrete, Mismatch, Moment, Proposal, Space, State, component


@component(
    "exploration",
    "parameter-noise",
    aliases=("ParameterNoise", "ParameterNoiseParameters"),
    actions=["discrete", "box"],
    noisy=True,
)
@attrs.frozen(kw_only=True)
class ParameterNoise:
    """Do what the network thinks best; its noisy layers see to it that this differs from step to step.

    The noise is drawn by the run while it trains and stands still at its mean in
    evaluation (the old policy went on being noisy there). It needs a network
    with noisy layers: it does not put them in, as the old one did.

    Fortunato et al. 2018, arXiv:1706.10295.
    """

    def init(self, space: Space, count: int) -> State:
        if not isinstance(space, Discrete | Box):
            raise Mismatch(
                f"parameter-noise chooses discrete actions or points of a box, got {space}", where="parameter-noise"
            )
        return None

    def __call__(
        self, state: State, propose: Callable[[], Proposal], space: Space, count: int, moment: Moment
    ) -> tuple[State, Array]:
        preferences = propose().preferences
        return state, preferences.argmax(axis=1) if isinstance(space, Discrete) else into(space, preferences)

    def level(self, state: State, step: int) -> float:
        """How noisy the layers are is the network's affair."""
        return 0.0
