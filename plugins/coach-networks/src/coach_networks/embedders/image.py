"""Embedder for images: bytes to numbers, then convolutions."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from coach_networks.embedders.inputs import Scaling, clipping_param, embedding, offset_param
from coach_networks.layers.parts import Conv, Dense, Flatten, NoisyDense
from coach_networks.stacks import ACTIVATIONS, initializer_param, layer_parts, scheme_param
from coachcore.api import Mismatch, Space, component, param

CONVOLUTIONS: dict[str, tuple[tuple[int, int, int], ...]] = {  # filters, size, stride
    "empty": (),
    "shallow": ((32, 3, 1),),
    "medium": ((32, 8, 4), (64, 4, 2), (64, 3, 1)),
    "deep": (
        (32, 5, 2),
        (32, 3, 1),
        (64, 3, 2),
        (64, 3, 1),
        (128, 3, 2),
        (128, 3, 1),
        (256, 3, 2),
        (256, 3, 1),
    ),
}
BYTE = 255.0


@component("embedder", "image", aliases=("ImageEmbedder",))
@attrs.frozen(kw_only=True)
class Image:
    """Convolutions over an image, height by width by channels, flattened at the end.

    First x / input_rescaling - input_offset, then the clip, then the scheme, as filters,
    size / stride: empty (nothing), shallow (32, 3/1), medium (32, 8/4; 64, 4/2; 64, 3/1), deep
    (32, 5/2; 32, 3/1; 64, 3/2; 64, 3/1; 128, 3/2; 128, 3/1; 256, 3/2; 256, 3/1). Bytes stay
    bytes until here, in memory too. Medium is the network of Mnih et al., Nature 518 (2015)
    529, and asks for 36 x 36 pixels; deep asks for 93 x 93. The first dense layer of a scheme
    sees the whole picture: one axis is made of it before (for each pixel alone there is
    a convolution of size 1).
    """

    scheme: Any = scheme_param("empty, shallow, medium, deep")
    activation: str = param(default="relu", choices=ACTIVATIONS, doc="what follows each layer of a scheme by name")
    initializer: str = initializer_param()
    input_rescaling: float | None = param(
        default=None, gt=0, doc="the input is divided by this; not given: 255 for bytes and whatever reaches to 255"
    )
    input_offset: float = offset_param()
    input_clipping: tuple[float, ...] | None = clipping_param()

    def build(self, space: Space, seed: int) -> Any:
        """A layer from ``[B, H, W, C]`` to ``[B, F]``; raises `Mismatch` for other ranks and images too small."""
        self._check(space)
        table = {
            name: [
                Conv(filters=f, size=s, stride=t, activation=self.activation, initializer=self.initializer)
                for f, s, t in rows
            ]
            for name, rows in CONVOLUTIONS.items()
        }
        parts = _flattened(layer_parts(self.scheme, table, self.activation, self.initializer))
        scaling = Scaling(self._rescaling(space), self.input_offset, self.input_clipping)
        try:
            return embedding(space, scaling, parts, seed)
        except Mismatch as error:
            scheme = f"scheme '{self.scheme}'" if isinstance(self.scheme, str) else "this scheme"
            raise Mismatch(
                f"embedder 'image': {scheme} does not take {_pixels(space)}: {error.message.partition(';')[0]}; "
                'for small images list layers of your own: scheme = [{ use = "conv", filters = 16, size = 3 }]'
            ) from None

    def _rescaling(self, space: Any) -> float:
        if self.input_rescaling is not None:
            return self.input_rescaling
        return BYTE if space.dtype == "uint8" or bool(np.all(space.high == BYTE)) else 1.0

    def _check(self, space: Space) -> None:
        rank = len(space.shape)
        if rank == 2:
            raise Mismatch(
                f"embedder 'image' takes [height, width, channels], got {list(space.shape)} without channels; "
                f"add an axis so that it becomes {[*space.shape, 1]}, or stack frames with an observation filter"
            )
        if rank != 3 and (rank == 0 or self.scheme not in ("empty", ())):
            raise Mismatch(
                f"embedder 'image' takes [height, width, channels], got shape {list(space.shape)}; "
                "'vector' and 'tensor' take others"
            )


def _flattened(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """The parts with `Flatten` before the first dense one."""
    dense = [i for i, part in enumerate(parts) if isinstance(part, Dense | NoisyDense)]
    return (*parts[: dense[0]], Flatten(), *parts[dense[0] :]) if dense else parts


def _pixels(space: Space) -> str:
    return " x ".join(map(str, space.shape[:2]))
