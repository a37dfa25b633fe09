"""Embedder for numbers of any rank, by layers that are spelled out."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.embedders.inputs import Scaling, clipping_param, embedding, offset_param, rescaling_param
from coach_networks.stacks import ACTIVATIONS, check_scheme, initializer_param, layer_parts
from coachcore.api import BadSetting, Mismatch, Space, component, param


def _spelled_out(part: Any, field: Any, value: Any) -> None:
    if isinstance(value, str):
        raise BadSetting(f"embedder 'tensor' has no scheme '{value}': list its layers", where=field.name)
    check_scheme(part, field, value)


@component("embedder", "tensor", aliases=("TensorEmbedder",))
@attrs.frozen(kw_only=True)
class Tensor:
    """Scale and clip numbers of any shape, then the layers of the scheme, then one axis.

    There are no schemes by name, since nothing is known of the input.
    """

    scheme: Any = param(
        type="int[] | layer[]",
        ge=1,
        check=_spelled_out,
        doc='a list of widths, or of layers such as [{ use = "conv", filters = 16, size = 3 }]',
    )
    activation: str = param(default="relu", choices=ACTIVATIONS, doc="what follows each layer given by its width")
    initializer: str = initializer_param()
    input_rescaling: float = rescaling_param()
    input_offset: float = offset_param()
    input_clipping: tuple[float, ...] | None = clipping_param()

    def build(self, space: Space, seed: int) -> Any:
        """A layer from ``[B, *space.shape]`` to ``[B, F]``; raises `Mismatch` where a layer cannot take its input."""
        if not space.shape:
            raise Mismatch("embedder 'tensor' takes vectors or more, got single numbers")
        parts = layer_parts(self.scheme, {}, self.activation, self.initializer)
        return embedding(space, Scaling(self.input_rescaling, self.input_offset, self.input_clipping), parts, seed)
