"""Two-dimensional convolution: one product of all patches with the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from coachcore.acting.activations import ACTIVATIONS
from coachcore.acting.operation import Facts, Operation, Shape, Step, refusal, weight
from coachcore.types import Array


def _extent(facts: Facts, size: int, kernel: int, stride: int) -> tuple[int, int]:
    """Along one axis: how many places the kernel stands at, and the length with padding that they take.

    "same" pads as TensorFlow does: ceil(size / stride) places, an odd zero goes behind.
    """
    if facts["padding"] == "same":
        places = -(-size // stride)
        return places, max((places - 1) * stride + kernel, size)
    return (size - kernel) // stride + 1, size


def _conv_shape(facts: Facts, shapes: Sequence[Shape], weights: Sequence[Shape]) -> Shape:
    kernel, strides = weight(facts, "kernel", weights), tuple(map(index, facts["strides"]))
    if len(shapes[0]) != 3 or len(kernel) != 4 or kernel[2] != shapes[0][2]:
        raise refusal(facts, f"cannot slide a kernel {kernel} over {shapes[0]}; they are (h, w, C, F) and (H, W, C)")
    if len(strides) != 2 or min(strides) < 1 or facts["padding"] not in ("valid", "same"):
        raise refusal(facts, f"needs two strides and padding valid or same, got {strides} and {facts['padding']}")
    if facts.get("bias") is not None:
        weight(facts, "bias", weights, kernel[3:])
    places = tuple(_extent(facts, *along)[0] for along in zip(shapes[0], kernel[:2], strides, strict=False))
    if min(places) < 1:
        raise refusal(facts, f"has a kernel {kernel} larger than its input {shapes[0]}")
    return (*places, kernel[3])


def _conv(facts: Facts, ins: list[Array], out: Array, weights: list[Array]) -> Step:
    x, (down, right) = ins[0], facts["strides"]
    size = weights[facts["kernel"]].shape[:2]
    lengths = [_extent(facts, x.shape[axis + 1], size[axis], facts["strides"][axis])[1] for axis in (0, 1)]
    padded = np.zeros((len(x), *lengths, x.shape[3]), np.float32)
    top, left = ((length - n) // 2 for length, n in zip(lengths, x.shape[1:], strict=False))
    inner = padded[:, top : top + x.shape[1], left : left + x.shape[2]]
    windows = sliding_window_view(padded, size, axis=(1, 2))[:, ::down, ::right].transpose(0, 1, 2, 4, 5, 3)
    patches = np.zeros(windows.shape, np.float32)  # [N, places down, places right, h, w, C]
    rows, flat = patches.reshape(-1, size[0] * size[1] * x.shape[3]), out.reshape(-1, out.shape[3])
    activate = ACTIVATIONS[facts.get("activation", "linear")]

    def step() -> None:
        np.copyto(inner, x)
        np.copyto(patches, windows)
        rows.dot(weights[facts["kernel"]].reshape(rows.shape[1], -1), flat)
        if facts.get("bias") is not None:
            np.add(flat, weights[facts["bias"]], flat)
        if activate is not None:
            activate(out)

    return step


CONV: dict[str, Operation] = {
    # activation(x * kernel + bias): x [H, W, C], kernel [h, w, C, F] (not flipped), strides [down, right],
    # padding valid or same; bias may be null
    "conv": Operation(_conv_shape, _conv),
}
