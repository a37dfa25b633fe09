"""What observations and actions look like: shapes, bounds, and a fair draw from them.

Networks and agents know a `Box` and a `Discrete`; the other spaces are what an
environment may ask for, and an action filter makes one of these two of them.
What the old system had classes for besides: a vector, a tensor, an image
(``[H, W, 3]`` of bytes) and planar maps (``[H, W, C]``, named by channel) are
boxes, a choice among agents is a `Discrete` with their names, a goal is an
observation, and the return that counts as success is `Spaces.success`.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from coachcore.spaces.composed import Attention, Compound, MultiSelect
from coachcore.spaces.plain import Box, Discrete

__all__ = ["Attention", "Box", "Compound", "Discrete", "MultiSelect", "Space", "Spaces"]

Space = Box | Discrete | MultiSelect | Attention | Compound


@attrs.frozen
class Spaces:
    """All that an environment, or a filter chain, promises about its data."""

    observation: Mapping[str, Space]
    action: Space
    reward: Box = attrs.field(factory=lambda: Box(()))
    success: float | None = None  # return from which an episode has reached its goal, where the environment says so
