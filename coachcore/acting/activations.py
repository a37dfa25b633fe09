"""What may follow a layer, done to a float32 array in place."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from coachcore.types import Array

_ZERO, _ONE, _SLOPE = np.array(0.0, np.float32), np.array(1.0, np.float32), np.array(0.2, np.float32)
_SELU_SCALE, _SELU_ALPHA = np.array(1.0507009873554805, np.float32), np.array(1.6732632423543772, np.float32)
_TAIL = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)


def relu(y: Array) -> None:
    """max(y, 0)."""
    np.maximum(y, _ZERO, out=y)


def sigmoid(y: Array) -> None:
    """1 / (1 + e^-y), written with tanh, which cannot overflow."""
    y *= 0.5
    np.tanh(y, y)
    y += 1.0
    y *= 0.5


def _elu(y: Array) -> None:
    np.copyto(y, np.where(y > _ZERO, y, np.expm1(np.minimum(y, _ZERO))))


def _selu(y: Array) -> None:
    np.copyto(y, _SELU_SCALE * np.where(y > _ZERO, y, _SELU_ALPHA * np.expm1(np.minimum(y, _ZERO))))


def _silu(y: Array) -> None:
    half = y * np.float32(0.5)
    np.multiply(half, np.tanh(half) + _ONE, out=y)


def _gelu(y: Array) -> None:
    """The normal distribution function times y, which is max(y, 0) - |y| P(beyond |y|).

    NumPy has no error function; the tail is Abramowitz and Stegun 7.1.26, off by 1.5e-7 at most.
    """
    far = np.minimum(np.abs(y), np.float32(13.0))  # beyond 13 deviations float32 has nothing left
    t = _ONE / (_ONE + np.float32(0.3275911 / 2**0.5) * far)
    tail = np.zeros_like(t)
    for factor in reversed(_TAIL):
        tail = (tail + np.float32(factor)) * t
    relu(y)
    y -= far * tail * np.float32(0.5) * np.exp(far * far * np.float32(-0.5))


ACTIVATIONS: dict[str, Callable[[Array], object] | None] = {
    "linear": None,
    "relu": relu,
    "tanh": lambda y: np.tanh(y, y),
    "sigmoid": sigmoid,
    "elu": _elu,
    "selu": _selu,
    "leaky_relu": lambda y: np.maximum(y, y * _SLOPE, out=y),
    "silu": _silu,
    "swish": _silu,
    "gelu": _gelu,
    "softplus": lambda y: np.logaddexp(y, _ZERO, out=y),
}
"""Activation -> what is done to an array in place; leaky_relu has slope 0.2 below zero, gelu is the exact one."""
