"""Embedder for vectors: scale, clip, then dense layers."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.embedders.inputs import Scaling, clipping_param, embedding, offset_param, rescaling_param
from coach_networks.stacks import ACTIVATIONS, initializer_param, layer_parts, scheme_param
from coachcore.api import Mismatch, Space, component, param

WIDTHS = {"empty": (), "shallow": (128,), "medium": (256,), "deep": (128, 128, 128)}


@component("embedder", "vector", aliases=("VectorEmbedder", "InputEmbedderParameters"))
@attrs.frozen(kw_only=True)
class Vector:
    """Scale and clip a vector, then dense layers.

    First x / input_rescaling - input_offset, then the clip, then the scheme:
    empty (nothing), shallow (128), medium (256), deep (128 three times), a
    list of widths or of layers. With the empty scheme any shape will do; it is flattened.
    """

    scheme: Any = scheme_param("empty, shallow, medium, deep")
    activation: str = param(default="relu", choices=ACTIVATIONS, doc="what follows each dense layer")
    initializer: str = initializer_param()
    input_rescaling: float = rescaling_param()
    input_offset: float = offset_param()
    input_clipping: tuple[float, ...] | None = clipping_param()

    def build(self, space: Space, seed: int) -> Any:
        """A layer from ``[B, *space.shape]`` to ``[B, F]``; raises `Mismatch` for images and single numbers."""
        parts = layer_parts(self.scheme, WIDTHS, self.activation, self.initializer)
        if len(space.shape) != 1 and (parts or not space.shape):
            raise Mismatch(
                f"embedder 'vector' takes vectors, got shape {space.shape}; scheme = \"empty\" flattens other shapes, "
                "'image' and 'tensor' take them as they are"
            )
        return embedding(space, Scaling(self.input_rescaling, self.input_offset, self.input_clipping), parts, seed)
