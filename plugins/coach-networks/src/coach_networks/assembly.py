"""One network from its plan: embedders, merge, middleware, heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coach_networks.program import write_program
from coach_networks.seeds import seed_for
from coachcore.api import Array, Mismatch, NetworkPlan, Space, Spaces, Tensor


class Network:
    """A stack of Keras layers, called statelessly: the weights are always handed in.

    `names` and `shapes` give the weights in their one order; `initial` are
    the weights drawn from the seed.
    """

    def __init__(self, model: Any, embedders: Mapping[str, Any], middleware: Any, heads: Mapping[str, Any]) -> None:
        if model.non_trainable_variables:
            named = ", ".join(variable.path for variable in model.non_trainable_variables)
            raise Mismatch(f"a network may only have weights that training moves, but it has {named}")
        self._model, self._parts = model, (embedders, middleware, heads)
        self._variables = list(model.trainable_variables)
        self.names = tuple(variable.path for variable in self._variables)
        self.shapes = tuple(tuple(int(n) for n in variable.shape) for variable in self._variables)
        self.inputs = tuple(embedders)

    def initial(self) -> list[Array]:
        """The weights as drawn from the seed, float32."""
        return [np.asarray(variable.numpy(), np.float32) for variable in self._variables]

    def call(self, weights: Sequence[Tensor], inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Inputs ``[B, ...]`` -> head outputs by slot, with these weights and no others."""
        outputs, _ = self._model.stateless_call(list(weights), [], {name: inputs[name] for name in self.inputs})
        return dict(outputs)

    def program(self) -> dict[str, Any] | None:
        """The network for `coachcore.acting`, or None when some layer has no acting form."""
        return write_program(self._variables, self.names, *self._parts)

    def summary(self) -> str:
        """A line a layer, for people."""
        lines: list[str] = []
        self._model.summary(print_fn=lambda line, **_: lines.append(line), expand_nested=True)
        return "\n".join(lines)


def build(plan: NetworkPlan, spaces: Spaces, seed: int) -> Network:
    """Stack the parts up: embedders in alphabetical order, concatenated, one middleware, every head on top of it.

    Each part draws its weights from a seed of its own, so a part added or
    changed leaves the others' weights as they were. Raises `Mismatch` for an
    input that does not exist and for a slot without a head.
    """
    import keras

    _check(plan, spaces)
    given = {name: _space(name, plan, spaces) for name in sorted(plan.embedders)}
    entries = {name: keras.Input(space.shape, dtype=_dtype(space), name=name) for name, space in given.items()}
    embedders = {
        name: _named(plan.embedders[name].build(space, seed_for(seed, f"embedders.{name}")), f"embedder_{name}")
        for name, space in given.items()
    }
    features = [embedders[name](entry) for name, entry in entries.items()]
    merged = features[0] if len(features) == 1 else keras.layers.Concatenate(name="merged")(features)
    middleware = _named(plan.middleware.build(seed_for(seed, "middleware")), "middleware")
    between = middleware(merged)
    heads = {
        slot: _named(head.build(spaces.action, seed_for(seed, f"heads.{slot}")), f"head_{slot}")
        for slot, head in sorted(plan.heads.items())
    }
    model = keras.Model(entries, {slot: head(between) for slot, head in heads.items()}, name="network")
    return Network(model, embedders, middleware, heads)


def _check(plan: NetworkPlan, spaces: Spaces) -> None:
    missing = [slot for slot in plan.spec.slots if slot not in plan.heads]
    if missing:
        raise Mismatch(
            f"no head for slot {', '.join(missing)}; give heads.{missing[0]} one that provides "
            f"{plan.spec.slots[missing[0]]}"
        )
    if not plan.embedders:
        raise Mismatch(f"a network needs an embedder; inputs: {', '.join(sorted(spaces.observation))}")


def _space(name: str, plan: NetworkPlan, spaces: Spaces) -> Space:
    if name == "action" and "action" in plan.spec.inputs:
        return spaces.action
    if name not in spaces.observation:
        raise Mismatch(f"there is no input '{name}' to embed; inputs: {', '.join(sorted(spaces.observation))}")
    return spaces.observation[name]


def _dtype(space: Space) -> str:
    return "uint8" if space.dtype == "uint8" else "float32"


def _named(layer: Any, name: str) -> Any:
    layer.name = name
    return layer
