"""From built Keras layers to the program that acts without Keras (`coachcore.acting`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from coach_networks.stacks import ACTIVATIONS

CARRY = "carry"


class UnknownLayer(Exception):
    """A layer that has no acting form; the engine's compiled function acts instead."""


class Torso(NamedTuple):
    """Built layers that stand on one middleware: embedders by input name, heads by slot."""

    embedders: Mapping[str, Any]
    middleware: Any
    heads: Mapping[str, Any]


class Tape:
    """Writes down operations, one after another, over the weights in their flat order.

    A layer of one's own takes part by a method ``acting(tape, x) -> name`` that
    calls `emit`, `layer`, `place` and `noise`.
    """

    def __init__(self, weights: Sequence[Any]) -> None:
        self._places = {id(weight): place for place, weight in enumerate(weights)}
        self.ops: list[dict[str, Any]] = []
        self.noises = 0

    def emit(self, op: str, inputs: Sequence[str], **facts: Any) -> str:
        """Append one operation of `coachcore.acting.OPERATIONS`; returns the name of its output."""
        output = f"t{len(self.ops)}"
        self.ops.append({"op": op, "inputs": list(inputs), "output": output} | facts)
        return output

    def place(self, weight: Any) -> int:
        """Where a weight stands in the flat order."""
        return self._places[id(weight)]

    def noise(self, count: int) -> int:
        """Reserve `count` standard normal numbers a call; returns where they begin in the vector of all noise."""
        offset, self.noises = self.noises, self.noises + count
        return offset

    def activation(self, layer: Any) -> str:
        """The name of a layer's activation; raises `UnknownLayer` for one that NumPy does not know."""
        name = getattr(layer.activation, "__name__", "")
        if name != "linear" and name not in ACTIVATIONS:
            raise UnknownLayer(name)
        return name

    def layer(self, layer: Any, x: str) -> str:
        """Append a whole layer; raises `UnknownLayer`."""
        own: Callable[[Tape, str], str] | None = getattr(layer, "acting", None)
        if own is not None:
            return own(self, x)
        known = _LAYERS.get(type(layer).__name__) if type(layer).__module__.startswith("keras.") else None
        if known is None:
            raise UnknownLayer(type(layer).__name__)
        return known(self, layer, x)


def write_program(  # noqa: PLR0913 - the last two by keyword
    weights: Sequence[Any],
    names: Sequence[str],
    embedders: Mapping[str, Any],
    middleware: Any,
    heads: Mapping[str, Any],
    *,
    merge: str = "concatenate",
    further: Sequence[Torso] = (),
) -> dict[str, Any] | None:
    """The acting program of a stack of layers, or None when one of them has no acting form.

    `merge` (``concatenate`` or ``sum``) joins several embedders, `further` are heads with
    embedders and a middleware of their own. A recurrent middleware adds an input ``carry``
    and an output ``carry``; several torsos share it, a piece ``[2 U]`` each.
    """
    tape, torsos = Tape(weights), [Torso(embedders, middleware, heads), *further]
    outputs: dict[str, str] = {}
    carried: list[str] = []
    size = sum(_carry(torso) for torso in torsos)
    try:
        for index, torso in enumerate(torsos):
            features = [tape.layer(layer, name) for name, layer in torso.embedders.items()]
            between = features[0] if len(features) == 1 else tape.emit(merge, features)
            if _carry(torso):
                piece = _piece(tape, size, _carry(torso), index)
                between, after = torso.middleware.acting_recurrent(tape, between, piece)
                carried.append(after)
            else:
                between = tape.layer(torso.middleware, between)
            outputs |= {slot: tape.layer(head, between) for slot, head in torso.heads.items()}
    except UnknownLayer:
        return None
    inputs = {name: _shape(layer) for torso in torsos for name, layer in torso.embedders.items()}
    if carried:
        inputs[CARRY] = [size]
        outputs[CARRY] = carried[0] if len(carried) == 1 else tape.emit("concatenate", carried)
    listed, numbers = _listed(weights, names)
    program = {"inputs": inputs, "size": numbers, "weights": listed, "ops": tape.ops, "outputs": outputs}
    return program | ({"noise": tape.noises} if tape.noises else {})


def _piece(tape: Tape, size: int, own: int, index: int) -> str:
    """The part of the carry that torso `index` remembers."""
    return CARRY if own == size else tape.emit("slice", [CARRY], start=own * index, stop=own * (index + 1))


def _carry(torso: Torso) -> int:
    """How many numbers the middleware remembers from step to step."""
    return int(getattr(torso.middleware, "carry", 0))


def _shape(layer: Any) -> list[int]:
    """What an embedder takes, without the batch axis."""
    shape = getattr(layer, "input_shape", None) or layer.input.shape
    return [int(n) for n in shape[1:]]


def _listed(weights: Sequence[Any], names: Sequence[str]) -> tuple[list[dict[str, Any]], int]:
    listed, offset = [], 0
    for weight, name in zip(weights, names, strict=True):
        shape = [int(n) for n in weight.shape]
        listed.append({"name": name, "shape": shape, "offset": offset})
        offset += prod(shape)
    return listed, offset


def _bias(tape: Tape, layer: Any) -> int | None:
    return tape.place(layer.bias) if layer.use_bias else None


def _dense(tape: Tape, layer: Any, x: str) -> str:
    kernel, activation = tape.place(layer.kernel), tape.activation(layer)
    return tape.emit("dense", [x], kernel=kernel, bias=_bias(tape, layer), activation=activation)


def _conv(tape: Tape, layer: Any, x: str) -> str:
    if layer.groups != 1 or tuple(layer.dilation_rate) != (1, 1) or layer.data_format != "channels_last":
        raise UnknownLayer("Conv2D")
    facts = {"kernel": tape.place(layer.kernel), "bias": _bias(tape, layer), "strides": list(layer.strides)}
    return tape.emit("conv", [x], **facts, padding=layer.padding, activation=tape.activation(layer))


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
    "Conv2D": _conv,
    "Sequential": _sequential,
    "Activation": lambda tape, layer, x: tape.emit("activation", [x], activation=tape.activation(layer)),
    "Identity": lambda _tape, _layer, x: x,
    "Flatten": lambda tape, _layer, x: tape.emit("flatten", [x]),
    "Reshape": _reshape,
}
