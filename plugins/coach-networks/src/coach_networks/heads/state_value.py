"""Head for the value of a state."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.stacks import ACTIVATIONS, layer_parts
from coachcore.api import Space, component, param


@component(
    "head",
    "state-value",
    aliases=("VHead", "VHeadParameters", "PPOVHead", "PPOVHeadParameters"),
    provides="state-value",
)
@attrs.frozen(kw_only=True)
class StateValue:
    """One number a state, V(s), for any action space; its last kernel begins with norm 1."""

    hidden: tuple[int, ...] = param(default=(), ge=1, doc="widths of dense layers of its own, such as [64, 64]")
    activation: str = param(default="relu", choices=ACTIVATIONS, doc="what follows the hidden layers")

    def build(self, action: Space, seed: int) -> Any:
        """A layer from ``[B, F]`` to ``[B]``."""
        from coach_networks.layers.towers import Tower

        return Tower(layer_parts(self.hidden, {}, self.activation), seed, gain=1.0)
