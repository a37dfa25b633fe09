"""From built Keras layers to the program that acts without Keras (`coachcore.acting`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from coach_networks.stacks import ACTIVATIONS


class UnknownLayer(Exception):
    """A layer that has no acting form; the engine's compiled function acts instead."""


class Tape:
    """Writes down operations, one after another, over the weights in their flat order.

    A layer of one's own takes part by a method ``acting(tape, x) -> name`` that
    calls `emit` and `layer`.
    """

    def __init__(self, weights: Sequence[Any]) -> None:
        self._places = {id(weight): place for place, weight in enumerate(weights)}
        self.ops: list[dict[str, Any]] = []

    def emit(self, op: str, inputs: Sequence[str], **facts: Any) -> str:
        """Append one operation of `coachcore.acting.OPERATIONS`; returns the name of its output."""
        output = f"t{len(self.ops)}"
        self.ops.append({"op": op, "inputs": list(inputs), "output": output} | facts)
        return output

    def place(self, weight: Any) -> int:
        """Where a weight stands in the flat order."""
        return self._places[id(weight)]

    def layer(self, layer: Any, x: str) -> str:
        """Append a whole layer; raises `UnknownLayer`."""
        own: Callable[[Tape, str], str] | None = getattr(layer, "acting", None)
        if own is not None:
            return own(self, x)
        known = _LAYERS.get(type(layer).__name__) if type(layer).__module__.startswith("keras.") else None
        if known is None:
            raise UnknownLayer(type(layer).__name__)
        return known(self, layer, x)


def write_program(
    weights: Sequence[Any],
    names: Sequence[str],
    embedders: Mapping[str, Any],
    middleware: Any,
    heads: Mapping[str, Any],
) -> dict[str, Any] | None:
    """The acting program of a stack of layers, or None when one of them has no acting form."""
    tape = Tape(weights)
    try:
        features = [tape.layer(layer, name) for name, layer in embedders.items()]
        merged = features[0] if len(features) == 1 else tape.emit("concatenate", features)
        between = tape.layer(middleware, merged)
        outputs = {slot: tape.layer(head, between) for slot, head in heads.items()}
    except UnknownLayer:
        return None
    inputs = {name: list(layer.input_shape[1:]) for name, layer in embedders.items()}
    listed, size = _listed(weights, names)
    return {"inputs": inputs, "size": size, "weights": listed, "ops": tape.ops, "outputs": outputs}


def _listed(weights: Sequence[Any], names: Sequence[str]) -> tuple[list[dict[str, Any]], int]:
    listed, offset = [], 0
    for weight, name in zip(weights, names, strict=True):
        shape = [int(n) for n in weight.shape]
        listed.append({"name": name, "shape": shape, "offset": offset})
        size = 1
        for n in shape:
            size *= n
        offset += size
    return listed, offset


def _activation(layer: Any) -> str:
    name = getattr(layer.activation, "__name__", "")
    if name != "linear" and name not in ACTIVATIONS:
        raise UnknownLayer(name)
    return name


def _dense(tape: Tape, layer: Any, x: str) -> str:
    bias = tape.place(layer.bias) if layer.use_bias else None
    return tape.emit("dense", [x], kernel=tape.place(layer.kernel), bias=bias, activation=_activation(layer))


def _sequential(tape: Tape, layer: Any, x: str) -> str:
    for inner in layer.layers:
        x = tape.layer(inner, x)
    return x


def _reshape(tape: Tape, layer: Any, x: str) -> str:
    shape = [int(n) for n in layer.target_shape]
    if len(shape) == 1:
        return tape.emit("flatten", [x])
    if min(shape, default=1) < 0:  # Keras works such an axis out when it is called
        raise UnknownLayer("Reshape")
    return tape.emit("reshape", [x], shape=shape)


_LAYERS: dict[str, Callable[[Tape, Any, str], str]] = {
    "Dense": _dense,
    "Sequential": _sequential,
    "Activation": lambda tape, layer, x: tape.emit("activation", [x], activation=_activation(layer)),
    "Identity": lambda _tape, _layer, x: x,
    "Flatten": lambda tape, _layer, x: tape.emit("flatten", [x]),
    "Reshape": _reshape,
}
