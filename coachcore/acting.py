"""A network that acts, as data: a list of operations over one flat vector, run by NumPy alone.

A program is plain JSON data, so that a checkpoint can act without the backend that trained it::

    {"inputs": {"observation": [4]},
     "size": 16,
     "weights": [{"name": "q.kernel", "shape": [4, 3], "offset": 0},
                 {"name": "q.bias", "shape": [3], "offset": 12}],
     "ops": [{"op": "dense", "inputs": ["observation"], "output": "t0",
              "kernel": 0, "bias": 1, "activation": "linear"}],
     "outputs": {"q": "t0"}}

Shapes lack the batch axis N; ``kernel`` and ``bias`` are positions in ``weights``;
offsets and ``size`` count numbers. `OPERATIONS` lists every operation with its arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from coachcore.errors import BadCheckpoint, BadData
from coachcore.types import Array

Shape = tuple[int, ...]
Step = Callable[[], object]
Facts = Mapping[str, Any]

_ZERO, _ONE, _SLOPE = np.array(0.0, np.float32), np.array(1.0, np.float32), np.array(0.2, np.float32)
_SELU_SCALE, _SELU_ALPHA = np.array(1.0507009873554805, np.float32), np.array(1.6732632423543772, np.float32)


def _relu(y: Array) -> None:
    np.maximum(y, _ZERO, out=y)


def _sigmoid(y: Array) -> None:
    # 1 / (1 + e^-y) written with tanh, which cannot overflow
    y *= 0.5
    np.tanh(y, y)
    y += 1.0
    y *= 0.5


def _elu(y: Array) -> None:
    np.copyto(y, np.where(y > _ZERO, y, np.expm1(np.minimum(y, _ZERO))))


def _selu(y: Array) -> None:
    np.copyto(y, _SELU_SCALE * np.where(y > _ZERO, y, _SELU_ALPHA * np.expm1(np.minimum(y, _ZERO))))


ACTIVATIONS: dict[str, Callable[[Array], object] | None] = {
    "linear": None,
    "relu": _relu,
    "tanh": lambda y: np.tanh(y, y),
    "sigmoid": _sigmoid,
    "elu": _elu,
    "selu": _selu,
    "leaky_relu": lambda y: np.maximum(y, y * _SLOPE, out=y),
}
"""Activation -> what is done to an array in place; leaky_relu has slope 0.2 below zero."""


def _same(facts: Facts, shapes: Sequence[Shape], _: Sequence[Shape]) -> Shape:
    if any(shape != shapes[0] for shape in shapes):
        raise BadCheckpoint(f"operation '{facts['op']}' needs equal shapes, got {list(shapes)}")
    return shapes[0]


def _scaled(facts: Facts, shapes: Sequence[Shape], _: Sequence[Shape]) -> Shape:
    clipping = facts.get("clipping")
    if not float(facts.get("rescaling", 1.0)) or (clipping is not None and len(clipping) != 2):
        raise BadCheckpoint("operation 'scale' needs a rescaling other than 0 and a clipping of [low, high]")
    return shapes[0]


def _reshaped(facts: Facts, shapes: Sequence[Shape], _: Sequence[Shape]) -> Shape:
    shape = tuple(map(int, facts.get("shape", (prod(shapes[0]),))))
    if prod(shape) != prod(shapes[0]) or min(shape, default=1) < 0:
        raise BadCheckpoint(f"operation '{facts['op']}' cannot give {shapes[0]} the shape {shape}")
    return shape


def _joined(_facts: Facts, shapes: Sequence[Shape], _: Sequence[Shape]) -> Shape:
    if any(shape[:-1] != shapes[0][:-1] or not shape for shape in shapes):
        raise BadCheckpoint(f"operation 'concatenate' needs shapes equal up to the last axis, got {list(shapes)}")
    return (*shapes[0][:-1], sum(shape[-1] for shape in shapes))


def _dense_shape(facts: Facts, shapes: Sequence[Shape], weights: Sequence[Shape]) -> Shape:
    kernel, bias = weights[facts["kernel"]], facts.get("bias")
    if not shapes[0] or len(kernel) != 2 or kernel[0] != shapes[0][-1]:
        raise BadCheckpoint(f"operation 'dense' cannot multiply {shapes[0]} by a kernel {kernel}")
    if bias is not None and weights[bias] != kernel[1:]:
        raise BadCheckpoint(f"operation 'dense' needs a bias of shape {kernel[1:]}, got {weights[bias]}")
    return (*shapes[0][:-1], kernel[1])


def _dueling_shape(_facts: Facts, shapes: Sequence[Shape], _: Sequence[Shape]) -> Shape:
    if len(shapes) != 2 or shapes[0] != (1,) or len(shapes[1]) != 1:
        raise BadCheckpoint(f"operation 'dueling' needs a value (1,) and advantages (A,), got {list(shapes)}")
    return shapes[1]


def _scale(facts: Facts, ins: list[Array], out: Array, _: list[Array]) -> Step:
    by, offset = np.float32(1.0 / facts.get("rescaling", 1.0)), np.float32(facts.get("offset", 0.0))
    clipping = facts.get("clipping")
    bounds = None if clipping is None else tuple(np.float32(bound) for bound in clipping)

    def step() -> None:
        np.multiply(ins[0], by, out)
        np.subtract(out, offset, out)
        if bounds is not None:
            np.clip(out, *bounds, out=out)

    return step


def _concatenate(_facts: Facts, ins: list[Array], out: Array, _: list[Array]) -> Step:
    return lambda: np.concatenate(ins, axis=-1, out=out)


def _sum(_facts: Facts, ins: list[Array], out: Array, _: list[Array]) -> Step:
    def step() -> None:
        np.copyto(out, ins[0])
        for other in ins[1:]:
            np.add(out, other, out)

    return step


def _dense(facts: Facts, ins: list[Array], out: Array, weights: list[Array]) -> Step:
    """For one row, `ndarray.dot` and operands of equal shape cost half of `matmul` and broadcasting."""
    kernel: int = facts["kernel"]
    bias: Any = facts.get("bias")
    dot, add, maximum = ins[0].dot, np.add, np.maximum
    activate, zeros = ACTIVATIONS[facts.get("activation", "linear")], np.zeros_like(out)

    def rectified() -> None:  # by far the most frequent layer: no call inside
        dot(weights[kernel], out)
        add(out, weights[bias], out)
        maximum(out, zeros, out=out)

    def step() -> None:
        dot(weights[kernel], out)
        if bias is not None:
            add(out, weights[bias], out)
        if activate is not None:
            activate(out)

    return rectified if activate is _relu and bias is not None else step


def _activation(facts: Facts, ins: list[Array], out: Array, _: list[Array]) -> Step:
    activate = ACTIVATIONS[facts.get("activation", "linear")]

    def step() -> None:
        np.copyto(out, ins[0])
        if activate is not None:
            activate(out)

    return step


def _dueling(_facts: Facts, ins: list[Array], out: Array, _: list[Array]) -> Step:
    value, advantages = ins
    actions = advantages.shape[-1]
    centre = (np.eye(actions) - 1.0 / actions).astype(np.float32)  # A @ centre = A - mean A, in one product

    def step() -> None:
        np.matmul(advantages, centre, out)
        np.add(out, value, out)

    return step


class _Operation(NamedTuple):
    shape: Callable[[Facts, Sequence[Shape], Sequence[Shape]], Shape]
    step: Callable[[Facts, list[Array], Array, list[Array]], Step] | None  # None: only a new shape of the same data


OPERATIONS: dict[str, _Operation] = {
    "scale": _Operation(_scaled, _scale),  # x / rescaling - offset, then clipped to clipping = [low, high]
    "flatten": _Operation(_reshaped, None),
    "reshape": _Operation(_reshaped, None),  # to shape, without the batch axis
    "concatenate": _Operation(_joined, _concatenate),  # along the last axis
    "sum": _Operation(_same, _sum),
    "dense": _Operation(_dense_shape, _dense),  # activation(x @ kernel + bias), along the last axis
    "activation": _Operation(_same, _activation),
    "dueling": _Operation(_dueling_shape, _dueling),  # V + A - mean A, inputs [V, A]
}


class _Plan(NamedTuple):
    feeds: list[tuple[str, Array]]  # input name -> the buffer it is copied to
    steps: list[Step]
    outputs: dict[str, Array]


class ActingNetwork:
    """A program with weights: observations by name in, head outputs by slot out.

    **The arrays it returns are valid until the next call** (they are its own buffers, one
    set for each batch size it has met); copy what must live longer. Not for two threads
    at once. Raises `BadCheckpoint` for a program that makes no sense.
    """

    def __init__(self, program: Mapping[str, Any]) -> None:
        self.program = program
        self._weights: list[Array] = []
        self._flat: Array | None = None
        self._stale = False
        self._plans: dict[int, _Plan] = {}
        try:
            self._inputs = {str(name): tuple(map(int, shape)) for name, shape in program["inputs"].items()}
            self._size = int(program["size"])
            self._slices = [_slice(weight, self._size) for weight in program["weights"]]
            self._shapes = self._check()
            self._first = next(iter(self._inputs))
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, StopIteration, ZeroDivisionError) as error:
            raise BadCheckpoint(f"the acting program is damaged ({type(error).__name__}: {error})") from None

    def load(self, flat: Array) -> None:
        """Act with these weights ``[P]`` float32 from now on.

        Only a reference is kept, and cut up at the next call: nobody may write to it afterwards.
        """
        if flat.shape != (self._size,) or flat.dtype != np.float32:
            raise BadCheckpoint(f"expected {self._size} float32 weights, got {flat.dtype} {flat.shape}")
        self._flat, self._stale = flat, True

    def __call__(self, obs: Mapping[str, Array]) -> Mapping[str, Array]:
        """Observations, each ``[N, ...]`` -> outputs by slot, each ``[N, ...]`` float32, valid until the next call."""
        if self._stale:
            self._cut()
        count = len(obs[self._first])
        plan = self._plans.get(count) or self._plan(count)
        for name, buffer in plan.feeds:
            given = obs[name]
            if given.shape != buffer.shape:
                raise BadData(f"observation '{name}' should be {buffer.shape}, got {given.shape}")
            buffer[...] = given
        for step in plan.steps:
            step()
        return plan.outputs

    def _cut(self) -> None:
        flat: Any = self._flat
        # a bias becomes [1, U]: adding operands of one shape is three times as fast as broadcasting
        self._weights[:] = [
            flat[start:stop].reshape(shape if len(shape) > 1 else (1, -1)) for start, stop, shape in self._slices
        ]
        self._stale = False

    def _check(self) -> dict[str, Shape]:
        """Every value's shape, worked out operation by operation."""
        shapes, weights = dict(self._inputs), [shape for _, _, shape in self._slices]
        for facts in self.program["ops"]:
            if facts["op"] not in OPERATIONS:
                raise BadCheckpoint(f"unknown operation '{facts['op']}'; this version knows {', '.join(OPERATIONS)}")
            if facts.get("activation", "linear") not in ACTIVATIONS:
                raise BadCheckpoint(f"unknown activation '{facts['activation']}'; known: {', '.join(ACTIVATIONS)}")
            given = [shapes[name] for name in facts["inputs"]]
            shapes[facts["output"]] = OPERATIONS[facts["op"]].shape(facts, given, weights)
        for name in self.program["outputs"].values():
            shapes[name]
        return shapes

    def _plan(self, count: int) -> _Plan:
        """Buffers and steps for `count` rows; made once for each batch size."""
        if self._flat is None:
            raise BadCheckpoint("the acting network has no weights yet; call load first")
        values = {name: np.zeros((count, *shape), np.float32) for name, shape in self._inputs.items()}
        feeds, steps = list(values.items()), []
        for facts in self.program["ops"]:
            ins = [values[name] for name in facts["inputs"]]
            shape, make = (count, *self._shapes[facts["output"]]), OPERATIONS[facts["op"]].step
            values[facts["output"]] = out = ins[0].reshape(shape) if make is None else np.zeros(shape, np.float32)
            if make is not None:
                steps.append(make(facts, ins, out, self._weights))
        outputs = {slot: values[name] for slot, name in self.program["outputs"].items()}
        plan = self._plans[count] = _Plan(feeds, steps, outputs)
        return plan


def _slice(weight: Mapping[str, Any], size: int) -> tuple[int, int, Shape]:
    shape = tuple(map(int, weight["shape"]))
    start = int(weight["offset"])
    stop = start + prod(shape)
    if start < 0 or stop > size or min(shape, default=1) < 0:
        raise BadCheckpoint(f"weight '{weight['name']}' {shape} at {start} does not fit into {size} numbers")
    return start, stop, shape
