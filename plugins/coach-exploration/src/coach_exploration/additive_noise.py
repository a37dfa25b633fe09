"""The action that the agent thinks best, and Gaussian noise on top."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from coach_exploration.boxes import boxed, into, owned
from coachcore.api import Array, Moment, Proposal, Schedule, Space, State, component, param

_USUAL = 0.1


@component("exploration", "additive-noise", aliases=("AdditiveNoise", "AdditiveNoiseParameters"), actions="box")
@attrs.frozen(kw_only=True)
class AdditiveNoise:
    """``preferred + deviation * normal``, cut off at the bounds; each component has noise of its own.

    Where `deviation` is left out, a network that gives one is believed (its own
    Gaussian is drawn from, before tanh where it squashes); a network that gives
    none gets 0.1. `evaluation_deviation` is really applied (the old policy
    worked it out and forgot it). A step takes N A normal numbers, in evaluation
    none unless it is asked for.

    Lillicrap et al. 2016, arXiv:1509.02971, section 7; Fujimoto et al. 2018, arXiv:1802.09477.
    """

    deviation: Schedule | None = param(
        default=None,
        type="schedule",
        ge=0,
        doc="standard deviation of the noise while training; left out: the network's own, or 0.1 where it has none",
    )
    evaluation_deviation: float = param(default=0.0, ge=0, doc="standard deviation of the noise in evaluation")
    relative: bool = param(
        default=True,
        doc="deviations are shares of each component's range (high - low); else in the action's own units",
    )

    def init(self, space: Space, count: int) -> State:
        """The deviation last used, for people to watch."""
        remedy = "give the deviation in the action's own units with relative = false"
        boxed("additive-noise", space, bounded=remedy if self.relative else "")
        return 0.0 if self.deviation is None else None

    def __call__(
        self, state: State, propose: Callable[[], Proposal], space: Space, count: int, moment: Moment
    ) -> tuple[State, Array]:
        proposal, share = propose(), self.evaluation_deviation
        if not moment.evaluating:
            if self.deviation is None and proposal.deviation is not None:
                points = into(space, owned(proposal, moment.rng))  # type: ignore[arg-type]  # `init` wants a box
                return float(np.add.reduce(proposal.deviation, None)) / proposal.deviation.size, points
            share = _USUAL if self.deviation is None else self.deviation(moment.step)
            state = None if self.deviation is not None else share
        if not share:
            return state, into(space, proposal.preferences)  # type: ignore[arg-type]
        noise = moment.rng.standard_normal((count, *space.shape), np.float32)
        spread = share * (space.high - space.low) if self.relative else share  # type: ignore[union-attr]
        return state, into(space, proposal.preferences.reshape(noise.shape) + spread * noise)  # type: ignore[arg-type]

    def level(self, state: State, step: int) -> float:
        """The deviation as it is set; where the network gives it, the mean one last drawn with."""
        return float(state if self.deviation is None else self.deviation(step))
