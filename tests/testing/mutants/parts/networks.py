"""Right parts of networks, in NumPy: the same call as a Keras layer's, and nothing to install."""

from __future__ import annotations

from math import prod

import attrs
import numpy as np

from coachcore.component import component, param
from coachcore.errors import Mismatch
from coachcore.spaces import Box, Discrete


class Linear:
    """``x W`` over flattened rows, folded into `shape`; the weights are drawn at the first call, as Keras does."""

    carry = 0

    def __init__(self, shape, seed):
        self.shape, self.weights = shape, []
        self.rng = np.random.default_rng(seed)

    def __call__(self, x):
        x = np.asarray(x, np.float32).reshape(len(x), -1)
        if not self.weights:
            self.weights = [self.rng.standard_normal((x.shape[1], prod(self.shape))).astype(np.float32)]
        y = (x.astype(np.float64) @ self.weights[0] / np.sqrt(x.shape[1])).astype(np.float32)
        return self.last(y.reshape(len(x), *self.shape))

    def last(self, y):
        return y


class Squashed(Linear):
    """The same, through tanh."""

    def last(self, y):
        return np.tanh(y)


class Leaky(Linear):
    """``tanh(x W + what is left of the step before)``; what it remembers is what it gives."""

    def __init__(self, shape, seed):
        super().__init__(shape, seed)
        self.carry = shape[0]

    def __call__(self, x, carry, first):
        left = np.where(np.asarray(first)[:, None] > 0, 0.0, carry)
        y = np.tanh(super().__call__(x) + 0.5 * left).astype(np.float32)
        return y, y


@component("embedder", "linear-embedder")
@attrs.frozen(kw_only=True)
class LinearEmbedder:
    """Features of a vector or a picture."""

    units: int = param(default=5, ge=1, doc="features that come out")

    def build(self, space, seed):
        if not isinstance(space, Box) or not space.shape:
            raise Mismatch(f"vectors and pictures only, got {space}")
        return Linear((self.units,), seed)  # features


@component("middleware", "linear-middleware")
@attrs.frozen(kw_only=True)
class LinearMiddleware:
    """Features of features."""

    units: int = param(default=6, ge=1, doc="features that come out")

    def build(self, seed):
        return Squashed((self.units,), seed)


@component("middleware", "leaky", recurrent=True)
@attrs.frozen(kw_only=True)
class LeakyMiddleware:
    """Features of features and of the steps before."""

    units: int = param(default=4, ge=1, doc="features that come out")

    @property
    def carry(self):
        return self.units

    def build(self, seed):
        return Leaky((self.units,), seed)


@component("head", "linear-values", provides="action-values")
@attrs.frozen(kw_only=True)
class LinearValues:
    """A value an action."""

    def build(self, action, seed):
        if not isinstance(action, Discrete):
            raise Mismatch(f"discrete actions only, got {action}")
        return Linear((action.n,), seed)


@component("head", "linear-policy", provides="deterministic-policy")
@attrs.frozen(kw_only=True)
class LinearPolicy:
    """An action from -1 to 1."""

    def build(self, action, seed):
        if not isinstance(action, Box):
            raise Mismatch(f"boxes only, got {action}")
        return Squashed(action.shape, seed)


@component("head", "linear-gaussian", provides="gaussian-policy")
@attrs.frozen(kw_only=True)
class LinearGaussian:
    """Means and logarithms of deviations."""

    def build(self, action, seed):
        if not isinstance(action, Box):
            raise Mismatch(f"boxes only, got {action}")
        return Linear((2, *action.shape), seed)


@component("layer", "linear-layer")
@attrs.frozen(kw_only=True)
class LinearLayer:
    """One layer over vectors."""

    units: int = param(default=3, ge=1, doc="numbers that come out")

    def build(self, shape, seed):
        if len(shape) != 1:
            raise Mismatch(f"vectors only, got {shape}")
        return Linear((self.units,), seed)
