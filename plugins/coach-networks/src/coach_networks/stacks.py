"""Schemes: named or spelled-out stacks of dense layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coach_networks.seeds import seed_for

SCHEMES = ("empty", "shallow", "medium", "deep")
ACTIVATIONS = ("relu", "tanh", "sigmoid", "elu", "selu", "leaky_relu", "none")


def widths(scheme: str | tuple[int, ...], table: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The widths a scheme stands for; a list of widths stands for itself."""
    return table[scheme] if isinstance(scheme, str) else scheme


def dense(units: int, seed: int, activation: str = "none", name: str | None = None) -> Any:
    """A `keras.layers.Dense`: Glorot uniform kernel from `seed`, bias zero."""
    import keras

    kernel = keras.initializers.GlorotUniform(seed=seed)
    return keras.layers.Dense(units, None if activation == "none" else activation, kernel_initializer=kernel, name=name)


def dense_stack(sizes: tuple[int, ...], seed: int, activation: str) -> list[Any]:
    """One dense layer a width, each followed by `activation`."""
    return [dense(units, seed_for(seed, f"dense_{i}"), activation, f"dense_{i}") for i, units in enumerate(sizes)]
