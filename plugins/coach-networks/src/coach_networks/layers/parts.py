"""The layers a scheme can be spelled out with: `scheme = [{ use = "dense", units = 64 }, ...]`."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.stacks import ACTIVATIONS, activation_named, initializer_named, initializer_param
from coachcore.api import Mismatch, component, param

Shape = tuple[int, ...]


def _activation(default: str = "relu") -> Any:
    return param(default=default, choices=ACTIVATIONS, doc="what follows the layer")


@component("layer", "dense", aliases=("Dense",))
@attrs.frozen(kw_only=True)
class Dense:
    """Every input to every unit: act(x W + b), along the last axis."""

    units: int = param(ge=1, doc="numbers that come out")
    activation: str = _activation()
    initializer: str = initializer_param()

    def build(self, shape: Shape, seed: int) -> Any:
        """A layer ``[B, ..., F] -> [B, ..., units]``; raises `Mismatch` for single numbers."""
        from keras.layers import Dense as Layer

        _needs_axis("dense", shape)
        kernel = initializer_named(self.initializer, seed)
        return Layer(self.units, activation_named(self.activation), kernel_initializer=kernel)


@component("layer", "noisy-dense", aliases=("NoisyNetDense",))
@attrs.frozen(kw_only=True)
class NoisyDense:
    """A dense layer that explores: its weights are drawn anew at each call, with deviations that it learns.

    Factorised noise. Fortunato et al., 2018, arXiv:1706.10295.
    """

    units: int = param(ge=1, doc="numbers that come out")
    activation: str = _activation()
    sigma0: float = param(default=0.5, ge=0, doc="first deviation of the weights, divided by the root of the inputs")

    def build(self, shape: Shape, seed: int) -> Any:
        """A layer ``[B, ..., F] -> [B, ..., units]``; raises `Mismatch` for single numbers."""
        from coach_networks.layers.noisy import NoisyDense as Layer

        _needs_axis("noisy-dense", shape)
        return Layer(self.units, self.activation, self.sigma0, seed)


@component("layer", "conv", aliases=("Conv2d",))
@attrs.frozen(kw_only=True)
class Conv:
    """Filters moved over an image, height by width by channels."""

    filters: int = param(ge=1, doc="channels that come out")
    size: int = param(ge=1, doc="height and width of a filter")
    stride: int = param(default=1, ge=1, doc="steps between two places of a filter")
    padding: str = param(
        default="valid",
        choices=("valid", "same"),
        doc="valid: filters stay inside; same: zeros around, so that a stride of 1 keeps the size",
    )
    activation: str = _activation()
    initializer: str = initializer_param()

    def build(self, shape: Shape, seed: int) -> Any:
        """A layer ``[B, H, W, C] -> [B, H', W', filters]``; raises `Mismatch` for other ranks and small images."""
        from keras.layers import Conv2D

        if len(shape) != 3:
            raise Mismatch(f"layer 'conv' takes [height, width, channels], got shape {list(shape)}")
        if self.padding == "valid" and min(shape[:2]) < self.size:
            raise Mismatch(
                f"{shape[0]} x {shape[1]} is too small for a filter of {self.size} x {self.size}; "
                'use smaller filters or strides, or padding = "same"'
            )
        kernel = initializer_named(self.initializer, seed)
        return Conv2D(
            self.filters,
            self.size,
            self.stride,
            self.padding,
            activation=activation_named(self.activation),
            kernel_initializer=kernel,
        )


@component("layer", "batch-norm", aliases=("BatchnormActivationDropout",))
@attrs.frozen(kw_only=True)
class BatchNorm:
    """Each feature (each channel of an image) brought to mean 0 and variance 1 over the batch, then scaled.

    Ioffe & Szegedy, 2015, arXiv:1502.03167.
    """

    momentum: float = param(default=0.99, ge=0, lt=1, doc="share of the old statistics that a training batch leaves")
    epsilon: float = param(default=1e-3, gt=0, doc="added to the variance")

    def build(self, shape: Shape, seed: int) -> Any:
        """A layer ``[B, ..., F] -> [B, ..., F]``; raises `Mismatch` for single numbers."""
        from coach_networks.layers.norms import BatchNorm as Layer

        _needs_axis("batch-norm", shape)
        return Layer(self.momentum, self.epsilon)


@component("layer", "layer-norm")
@attrs.frozen(kw_only=True)
class LayerNorm:
    """The last axis of each row brought to mean 0 and variance 1, then scaled. arXiv:1607.06450."""

    epsilon: float = param(default=1e-5, gt=0, doc="added to the variance")

    def build(self, shape: Shape, seed: int) -> Any:
        """A layer ``[B, ..., F] -> [B, ..., F]``; raises `Mismatch` for single numbers."""
        from coach_networks.layers.norms import LayerNorm as Layer

        _needs_axis("layer-norm", shape)
        return Layer(self.epsilon)


@component("layer", "dropout")
@attrs.frozen(kw_only=True)
class Dropout:
    """While training, numbers fall to zero at random and the others grow to make up for it."""

    rate: float = param(ge=0, lt=1, doc="share of the numbers that fall")

    def build(self, shape: Shape, seed: int) -> Any:
        """A layer ``[B, ...] -> [B, ...]``."""
        from coach_networks.layers.drop import Drop

        return Drop(self.rate)


@component("layer", "activation")
@attrs.frozen(kw_only=True)
class Activation:
    """An activation on its own, for where something stands between it and its layer."""

    function: str = param(default="relu", choices=ACTIVATIONS, doc="which one")

    def build(self, shape: Shape, seed: int) -> Any:
        """A layer ``[B, ...] -> [B, ...]``."""
        from keras.layers import Activation as Layer

        return Layer(activation_named(self.function) or "linear")


@component("layer", "flatten", aliases=("Flatten",))
@attrs.frozen(kw_only=True)
class Flatten:
    """Any shape to one axis."""

    def build(self, shape: Shape, seed: int) -> Any:
        """A layer ``[B, ...] -> [B, F]``."""
        from keras.layers import Flatten as Layer

        return Layer()


def _needs_axis(name: str, shape: Shape) -> None:
    if not shape:
        raise Mismatch(f"layer '{name}' takes vectors or more, got single numbers")
