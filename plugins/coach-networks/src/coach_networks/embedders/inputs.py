"""What all embedders share: scaling and clipping of the input, and the stack that follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from coachcore.api import BadSetting, Space, param


def rescaling_param() -> Any:
    """The setting `input_rescaling`."""
    return param(default=1.0, gt=0, doc="the input is divided by this")


def offset_param() -> Any:
    """The setting `input_offset`."""
    return param(default=0.0, doc="subtracted after the division")


def clipping_param() -> Any:
    """The setting `input_clipping`."""
    return param(default=None, check=_two_bounds, doc="[low, high] the input is clipped to, last")


def _two_bounds(_part: Any, field: Any, value: Any) -> None:
    if value is not None and (len(value) != 2 or value[0] > value[1]):
        raise BadSetting(f"expected [low, high] with low <= high, got {list(value)}", where=field.name)


@attrs.frozen
class Scaling:
    """Makes the first layer of an embedder: x / rescaling - offset, then the clip, as float32."""

    rescaling: float
    offset: float
    clipping: tuple[float, ...] | None

    def build(self, shape: tuple[int, ...], seed: int) -> Any:
        """A layer ``[B, ...] -> [B, ...]``."""
        from coach_networks.layers.scale import Scale

        return Scale(self.rescaling, self.offset, self.clipping)


def embedding(space: Space, scaling: Scaling, parts: Sequence[Any], seed: int) -> Any:
    """A layer ``[B, *space.shape] -> [B, F]``: scaling where it does anything, the parts, and one axis at the end.

    Raises `Mismatch` where a part cannot take the shape that reaches it.
    """
    from coach_networks.layers.parts import Flatten
    from coach_networks.layers.stack import Stack

    first = [scaling] if scaling != Scaling(1.0, 0.0, None) or space.dtype != "float32" else []
    stack = Stack([*first, *parts], seed)
    if len(stack.settle(space.shape)) == 1:
        return stack
    stack = Stack([*first, *parts, Flatten()], seed)
    stack.settle(space.shape)
    return stack
