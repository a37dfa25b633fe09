"""A head for values of which each is a normal distribution."""

from __future__ import annotations

from typing import Any

import attrs

from coachcore.api import Discrete, Mismatch, Space, component, param


@component("head", "value-gaussians", provides="value-gaussians", needs=("keras",))
@attrs.frozen(kw_only=True)
class ValueGaussians:
    """The mean of each action's value, and the logarithm of its deviation, one dense layer."""

    size: float = param(default=0.01, gt=0, doc="largest first weight: at the start all actions are about alike")

    def build(self, action: Space, seed: int) -> Any:
        """A layer ``[B, F] -> [B, 2, A]``, means and then logarithms; raises `Mismatch` for a continuous action."""
        if not isinstance(action, Discrete):
            raise Mismatch(f"head 'value-gaussians' values discrete actions, got {action}")
        import keras

        start = keras.initializers.RandomUniform(-self.size, self.size, seed=seed)
        rows = keras.layers.Dense(2 * action.n, kernel_initializer=start)
        return keras.Sequential([rows, keras.layers.Reshape((2, action.n))])
