"""Calling a compiled function cheaply: inputs that stay in place, and TensorFlow's inner call path."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from coachcore.api import Array

ALIGNMENT = 64  # bytes; compiled code may read whole vectors at once


class Slot:
    """An input of a compiled function: NumPy memory that a tensor shares, written before each call.

    TensorFlow calls on the CPU end before they return, so the memory is free again after each.
    """

    def __init__(self, shape: tuple[int, ...], dtype: str = "float32") -> None:
        count = int(np.prod(shape)) * np.dtype(dtype).itemsize
        raw = np.zeros(count + ALIGNMENT, np.uint8)
        start = -raw.ctypes.data % ALIGNMENT
        self.array: Array = raw[start : start + count].view(dtype).reshape(shape)
        self.tensor = tf.experimental.dlpack.from_dlpack(self.array.__dlpack__())


def direct(concrete: Any, *, fast: bool = True) -> Callable[..., list[Any]]:
    """A concrete function as a plain call from tensors to the list of its outputs.

    The inner path skips 50 to 100 us of argument matching a call. It is not part
    of TensorFlow's public interface: where it is missing, the public way is taken.
    """
    inner = getattr(getattr(concrete, "_inference_function", None), "call_flat", None)
    if not fast or inner is None:
        return lambda *tensors: list(tf.nest.flatten(concrete(*tensors)))
    captured = concrete.captured_inputs
    return lambda *tensors: inner(*tensors, *captured)  # type: ignore[no-any-return]
