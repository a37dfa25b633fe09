"""A learner's state as a tree of arrays, and as the flat vectors of a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from jax import numpy as jnp

from coach_networks.blueprint import Blueprint
from coach_networks.update import Leaves, TrainState
from coachcore.api import Array


@attrs.frozen(eq=False)
class Tree:
    """The networks of `blueprint`, and `slots` arrays that the optimizer remembers of each weight."""

    blueprint: Blueprint
    slots: int

    def first(self) -> dict[str, Array]:
        """The vectors before the first update."""
        weights, target = self.blueprint.vector(), self.blueprint.vector(self.blueprint.slow)
        return {
            "weights": weights,
            "target": target,
            **{f"slot_{i}": np.zeros_like(weights) for i in range(self.slots)},
        }

    def grown(self, vectors: Mapping[str, Array], updates: int) -> TrainState:
        """The tree of flat vectors."""
        everyone = tuple(self.blueprint.networks)
        slots = [self._leaves(vectors[f"slot_{i}"], everyone) for i in range(self.slots)]
        return TrainState(
            self._leaves(vectors["weights"], everyone),
            {name: tuple(slot[name] for slot in slots) for name in everyone},
            self._leaves(vectors["target"], self.blueprint.slow),
            jnp.asarray(updates, jnp.int32),
        )

    def flattened(self, state: TrainState) -> dict[str, Array]:
        """The flat vectors of a tree, in arrays of their own."""
        names = self.blueprint.networks
        vectors = {
            "weights": [leaf for name in names for leaf in state.weights[name]],
            "target": [leaf for name in self.blueprint.slow for leaf in state.target[name]],
        }
        for i in range(self.slots):
            vectors[f"slot_{i}"] = [leaf for name in names for leaf in state.slots[name][i]]
        return {name: np.array(flat(leaves)) for name, leaves in vectors.items()}

    def _leaves(self, vector: Array, names: tuple[str, ...]) -> dict[str, Leaves]:
        """A flat vector as arrays of their own, in their shapes, by network."""
        found, start = {}, 0
        for name in names:
            leaves = []
            for shape in self.blueprint.networks[name].shapes:
                size = int(np.prod(shape))
                leaves.append(jnp.array(vector[start : start + size].reshape(shape), jnp.float32))
                start += size
            found[name] = tuple(leaves)
        return found


def flat(leaves: Any) -> Any:
    """Arrays one behind the other as one vector."""
    pieces = [jnp.reshape(leaf, -1) for leaf in leaves]
    return jnp.concatenate(pieces) if pieces else jnp.zeros(0, jnp.float32)
