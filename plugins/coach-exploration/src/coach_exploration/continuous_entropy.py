"""Draw from the Gaussian that a network gives itself."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from coach_exploration.boxes import boxed, into, owned
from coachcore.api import Array, Mismatch, Moment, Proposal, Space, State, component


@component(
    "exploration",
    "continuous-entropy",
    aliases=("ContinuousEntropy", "ContinuousEntropyParameters"),
    actions="box",
    asks="deviation",
    unclipped=True,
)
@attrs.frozen(kw_only=True)
class ContinuousEntropy:
    """``mean + deviation * normal`` with the network's own mean and deviation; ``tanh`` of that where it squashes.

    What is drawn is left as it was drawn, also outside the bounds, because its
    probability belongs to it and not to the bound: the agent learns from the
    draw, and the run cuts off what the environment is given. In evaluation the
    mean (squashed, where the network squashes) is done, cut off at the bounds.

    The state is the mean deviation of the last draw, for people to watch. A step
    takes N A normal numbers. Williams 1992; with tanh: Haarnoja et al. 2018,
    arXiv:1812.05905, appendix C.
    """

    def init(self, space: Space, count: int) -> State:
        boxed("continuous-entropy", space)
        return 0.0

    def __call__(
        self, state: State, propose: Callable[[], Proposal], space: Space, count: int, moment: Moment
    ) -> tuple[State, Array]:
        proposal = propose()
        if moment.evaluating:
            return state, into(space, proposal.preferences)  # type: ignore[arg-type]  # `init` refuses all but boxes
        deviation = proposal.deviation
        if deviation is None:
            raise Mismatch(
                "continuous-entropy draws from the network's own deviation, and this agent's network gives none - "
                "use 'additive-noise'",
                where="continuous-entropy",
            )
        points = owned(proposal, moment.rng).astype(np.float32, copy=False)
        return float(np.add.reduce(deviation, None)) / deviation.size, points.reshape(count, *space.shape)

    def level(self, state: State, step: int) -> float:
        """The mean deviation of the last draw, before tanh."""
        return float(state)
