"""Rainbow: a C51 that is double, looks several steps ahead, duels and explores by noise in its weights."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from coach_value.c51 import C51
from coach_value.discrete import one_network
from coachcore.api import (
    Array,
    DataSpec,
    NetworkSpec,
    Proposal,
    Spaces,
    Update,
    component,
    param,
)

SLOTS = {"q": "return-distribution"}
NETWORK = {
    "embedders": {"observation": {"use": "vector", "scheme": "medium"}},
    "middleware": {"use": "dense", "scheme": "empty"},
    "heads": {"q": {"use": "rainbow-q"}},
}


@component(
    "agent",
    "rainbow",
    aliases=("RainbowDQN", "RainbowDQNAgent", "RainbowDQNAgentParameters"),
    slots=SLOTS,
    executor="small",
    actions="discrete",
    defaults=NETWORK,
)
@attrs.frozen(kw_only=True)
class Rainbow:
    """Six extensions of deep Q-learning at once; this agent holds a C51 and adds no arithmetic of its own.

    Distributional, double and over n steps by the C51; dueling and noisy by the head `rainbow-q`;
    prioritized by the memory `prioritized-experience-replay`, for which the priority is the
    divergence from the target. Explore with `parameter-noise`. Hessel et al., 2017, arXiv:1710.02298.
    """

    low: float = param(default=-10.0, doc="the least return that can be told")
    high: float = param(default=10.0, doc="the greatest return that can be told, above low")
    double: bool = param(default=True, doc="let the online network choose the action that the target network tells of")
    discount: float = param(default=0.99, gt=0, le=1, doc="gamma, what a reward is worth one step later")
    n_step: int = param(default=3, ge=1, doc="rewards added up before bootstrapping")
    inner: C51 = attrs.field(init=False, repr=False)

    @inner.default
    def _inner(self) -> C51:
        return C51(low=self.low, high=self.high, double=self.double, discount=self.discount, n_step=self.n_step)

    def data(self, spaces: Spaces) -> DataSpec:
        return self.inner.data(spaces)

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        """One network with a target; raises `Mismatch` unless actions are discrete."""
        return one_network("rainbow", SLOTS, spaces)

    def updates(self) -> tuple[Update, ...]:
        return self.inner.updates()

    def propose(self, outputs: Mapping[str, Array]) -> Proposal:
        """Expected returns ``[N, A]`` from logits ``[N, A, K]``."""
        return self.inner.propose(outputs)
