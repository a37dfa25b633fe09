"""Head for several values of one state and action."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.heads.actions import count_components
from coach_networks.stacks import ACTIVATIONS, layer_parts
from coachcore.api import Space, component, param

_OLD = ("SACQHead", "SACQHeadParameters", "TD3VHead", "TD3VHeadParameters", "DDPGVHead", "DDPGVHeadParameters")


@component("head", "twin-q", aliases=_OLD, provides="critics")
@attrs.frozen(kw_only=True)
class TwinQ:
    """Several critics Q(s, a) of the action among the inputs, each with dense layers of its own.

    Two for TD3 and SAC, whose targets take the smaller; one for DDPG.
    Fujimoto, van Hoof & Meger, 2018, arXiv:1802.09477, section 4.2.
    """

    critics: int = param(default=2, ge=1, doc="H, how many")
    hidden: tuple[int, ...] = param(default=(256, 256), ge=1, doc="widths of each critic's own dense layers")
    activation: str = param(default="relu", choices=ACTIVATIONS, doc="what follows the hidden layers")

    def build(self, action: Space, seed: int) -> Any:
        """A layer from ``[B, F]`` to ``[B, H]``; raises `Mismatch` for discrete actions."""
        from coach_networks.layers.towers import Towers

        count_components("twin-q", action, "q")
        return Towers(self.critics, layer_parts(self.hidden, {}, self.activation), seed)
