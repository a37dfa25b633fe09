"""Embedder for vectors: scale, clip, then dense layers."""

from __future__ import annotations

from math import prod
from typing import Any

import attrs

from coach_networks.stacks import ACTIVATIONS, SCHEMES, dense_stack, widths
from coachcore.api import BadSetting, Mismatch, Space, component, param

WIDTHS = {"empty": (), "shallow": (128,), "medium": (256,), "deep": (128, 128, 128)}


def _two_bounds(_part: Any, field: Any, value: Any) -> None:
    if value is not None and (len(value) != 2 or value[0] > value[1]):
        raise BadSetting(f"expected [low, high] with low <= high, got {list(value)}", where=field.name)


@component("embedder", "vector", aliases=("VectorEmbedder", "InputEmbedderParameters"))
@attrs.frozen(kw_only=True)
class Vector:
    """Scale and clip a vector, then dense layers.

    First x / input_rescaling - input_offset, then the clip, then the scheme:
    empty (nothing), shallow (128), medium (256), deep (128 three times) or a
    list of widths. With the empty scheme any shape will do; it is flattened.
    """

    scheme: str | tuple[int, ...] = param(
        default="medium",
        choices=SCHEMES,
        ge=1,
        doc="empty, shallow, medium, deep, or a list of widths such as [64, 64]",
    )
    activation: str = param(default="relu", choices=ACTIVATIONS, doc="what follows each dense layer")
    input_rescaling: float = param(default=1.0, gt=0, doc="the input is divided by this")
    input_offset: float = param(default=0.0, doc="subtracted after the division")
    input_clipping: tuple[float, ...] | None = param(
        default=None, check=_two_bounds, doc="[low, high] the input is clipped to, last"
    )

    def build(self, space: Space, seed: int) -> Any:
        """A layer from ``[B, *space.shape]`` to ``[B, F]``; raises `Mismatch` for images and single numbers."""
        import keras

        from coach_networks.layers.scale import Scale

        sizes = widths(self.scheme, WIDTHS)
        if len(space.shape) != 1 and (sizes or not space.shape):
            raise Mismatch(
                f"embedder 'vector' takes vectors, got shape {space.shape}; scheme = \"empty\" flattens other shapes"
            )
        layers = [Scale(self.input_rescaling, self.input_offset, self.input_clipping)] if self._scales(space) else []
        if len(space.shape) != 1:
            layers.append(keras.layers.Reshape((prod(space.shape),)))
        layers += dense_stack(sizes, seed, self.activation)
        return keras.Sequential(layers or [keras.layers.Identity()])

    def _scales(self, space: Space) -> bool:
        given = (self.input_rescaling, self.input_offset, self.input_clipping)
        return given != (1.0, 0.0, None) or space.dtype != "float32"
