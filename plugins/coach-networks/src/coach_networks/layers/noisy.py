"""Dense layers whose weights are drawn anew at each call."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from coach_networks import flow
from coach_networks.seeds import seed_for


def signed_root(noise: Any) -> Any:
    """f(z) = sign(z) sqrt|z|, any shape: what shapes the noise that rows and columns share."""
    return ops.sign(noise) * ops.sqrt(ops.abs(noise))


class NoisyDense(keras.layers.Layer):
    """``[B, ..., P] -> [B, ..., Q]``: act(x (W + S * f(e_in) f(e_out)^T) + b + s * f(e_out)), factorised noise.

    One draw of e_in ``[P]`` and e_out ``[Q]`` serves the whole batch; without noise in the
    flow of the call the layer stands at its means W and b. They begin uniform within
    +-1/sqrt(P), the deviations S and s at sigma0/sqrt(P), and one e_out serves kernel and
    bias alike, as in the paper: the old system drew the bias apart and let deviations be
    negative. Fortunato et al., 2018, arXiv:1706.10295, eq. 10 and 11 and section 3.2.
    """

    def __init__(self, units: int, activation: str = "none", sigma0: float = 0.5, seed: int = 0, **names: Any) -> None:
        super().__init__(**names)
        self.units, self.sigma0, self.seed = units, sigma0, seed
        self.activation = keras.activations.get(None if activation == "none" else activation)

    def build(self, shape: tuple[int | None, ...]) -> None:
        width = int(shape[-1] or 0)
        limit = width**-0.5
        sigma = keras.initializers.Constant(self.sigma0 * limit)
        for name, size in (("kernel", (width, self.units)), ("bias", (self.units,))):
            mean = keras.initializers.RandomUniform(-limit, limit, seed=seed_for(self.seed, name))
            setattr(self, name, self.add_weight(shape=size, initializer=mean, name=name))
            setattr(self, f"{name}_sigma", self.add_weight(shape=size, initializer=sigma, name=f"{name}_sigma"))

    def call(self, x: Any) -> Any:
        kernel, bias, normal = self.kernel, self.bias, flow.current().normal
        if normal is not None:  # for a batch, one product with drawn weights is cheaper than two without
            entering, leaving = (
                ops.cast(signed_root(normal((int(n),))), self.compute_dtype) for n in self.kernel.shape
            )
            kernel = kernel + self.kernel_sigma * (ops.expand_dims(entering, 1) * leaving)  # [P, Q]
            bias = bias + self.bias_sigma * leaving
        return self.activation(ops.matmul(x, kernel) + bias)

    def compute_output_shape(self, shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return (*shape[:-1], self.units)

    def acting(self, tape: Any, x: str) -> str:
        width, units = (int(n) for n in self.kernel.shape)
        weights = {name: tape.place(getattr(self, name)) for name in ("kernel", "bias", "kernel_sigma", "bias_sigma")}
        noise = tape.noise(width + units)
        return tape.emit("noisy-dense", [x], **weights, activation=tape.activation(self), noise=noise)
