"""The network that runs an acting program, and the table of all that a program may ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from operator import index
from typing import Any, NamedTuple

import numpy as np

from coachcore.acting.activations import ACTIVATIONS
from coachcore.acting.conv import CONV
from coachcore.acting.layers import LAYERS
from coachcore.acting.operation import Operation, Shape, Step
from coachcore.acting.plain import PLAIN
from coachcore.errors import BadCheckpoint, BadData
from coachcore.types import Array

OPERATIONS: dict[str, Operation] = PLAIN | LAYERS | CONV
"""Operation -> how its shape is found and its step is made."""

_DAMAGE = (KeyError, IndexError, TypeError, ValueError, AttributeError, StopIteration, ArithmeticError)
_LARGEST = 2**31


class _Plan(NamedTuple):
    feeds: list[tuple[str, Array]]  # input name -> the buffer it is copied to
    steps: list[Step]  # without noise
    noisy: list[Step]
    outputs: dict[str, Array]


class ActingNetwork:
    """A program with weights: observations by name in, head outputs by slot out.

    **The arrays it returns are valid until the next call** (they are its own buffers, one
    set for each batch size it has met); copy what must live longer. Not for two threads
    at once. Raises `BadCheckpoint` for a program that makes no sense, before it acts.
    """

    def __init__(self, program: Mapping[str, Any]) -> None:
        self.program = program
        self._weights: list[Array] = []
        self._flat: Array | None = None
        self._stale = False
        self._plans: dict[int, _Plan] = {}
        try:
            self._inputs = {str(name): _sizes(name, shape) for name, shape in program["inputs"].items()}
            if (size := index(program["size"])) < 0:
                raise BadCheckpoint(f"the acting program cannot have {size} weights")
            self._size = size
            self._slices = [_slice(weight, self._size) for weight in program["weights"]]
            self._shapes = self._check()
            self._first = next(iter(self._inputs))
            self._noise = np.zeros(self._check_noise(), np.float32)
        except _DAMAGE as error:
            raise BadCheckpoint(f"the acting program is damaged ({type(error).__name__}: {error})") from None

    def load(self, flat: Array) -> None:
        """Act with these weights ``[P]`` float32 from now on.

        Only a reference is kept, and cut up at the next call: nobody may write to it afterwards.
        """
        if flat.shape != (self._size,) or flat.dtype != np.float32:
            raise BadCheckpoint(f"expected {self._size} float32 weights, got {flat.dtype} {flat.shape}")
        self._flat, self._stale = flat, True

    def __call__(self, obs: Mapping[str, Array], rng: np.random.Generator | None = None) -> Mapping[str, Array]:
        """Observations, each ``[N, ...]`` -> outputs by slot, each ``[N, ...]`` float32, valid until the next call.

        With `rng`, noisy layers draw, once for all rows; without it they act by their means.
        Raises `BadData` for an observation of another shape than the program says.
        """
        if self._stale:
            self._cut()
        count = len(obs[self._first])
        plan = self._plans.get(count) or self._plan(count)
        for name, buffer in plan.feeds:
            given = obs[name]
            if given.shape != buffer.shape:
                raise BadData(f"observation '{name}' should be {buffer.shape}, got {given.shape}")
            buffer[...] = given
        steps = plan.steps
        if rng is not None and self._noise.size:
            rng.standard_normal(out=self._noise, dtype=np.float32)
            np.copysign(np.sqrt(np.abs(self._noise)), self._noise, self._noise)  # sign(z) sqrt|z|
            steps = plan.noisy
        for step in steps:
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
            if facts["output"] in shapes:
                raise BadCheckpoint(f"two values of the acting program are called '{facts['output']}'")
            given = [shapes[name] for name in facts["inputs"]]
            shapes[facts["output"]] = OPERATIONS[facts["op"]].shape(facts, given, weights)
        outputs = list(self.program["outputs"].values())
        if not outputs or any(name not in shapes for name in outputs):
            raise BadCheckpoint(f"the acting program gives {outputs or 'nothing'}, but computes {', '.join(shapes)}")
        return shapes

    def _check_noise(self) -> int:
        """How many numbers a call draws: as many as the noisy layers look at."""
        size, needed = index(self.program.get("noise", 0)), 0
        for facts in self.program["ops"]:
            if OPERATIONS[facts["op"]].noisy is not None:
                widths = (self._shapes[name][-1] for name in (facts["inputs"][0], facts["output"]))
                needed = max(needed, facts["noise"] + sum(widths))
        if size != needed:
            raise BadCheckpoint(f"the acting program draws {size} numbers of noise, but its layers need {needed}")
        return size

    def _plan(self, count: int) -> _Plan:
        """Buffers and steps for `count` rows; made once for each batch size."""
        if self._flat is None:
            raise BadCheckpoint("the acting network has no weights yet; call load first")
        values = {name: np.zeros((count, *shape), np.float32) for name, shape in self._inputs.items()}
        plan = _Plan(list(values.items()), [], [], {})
        for facts in self.program["ops"]:
            _, make, noisy = OPERATIONS[facts["op"]]
            ins, shape = [values[name] for name in facts["inputs"]], (count, *self._shapes[facts["output"]])
            values[facts["output"]] = out = ins[0].reshape(shape) if make is None else np.zeros(shape, np.float32)
            if make is not None:
                plan.steps.append(step := make(facts, ins, out, self._weights))
                plan.noisy.append(noisy(facts, ins, out, self._weights, self._noise) if noisy else step)
        plan.outputs.update((slot, values[name]) for slot, name in self.program["outputs"].items())
        self._plans[count] = plan
        return plan


def _sizes(name: object, shape: Iterable[int]) -> Shape:
    """The shape of an input or a weight; raises `BadCheckpoint` for an axis without length and for more than fits."""
    sizes = tuple(map(index, shape))
    if min(sizes, default=1) < 1 or prod(sizes) > _LARGEST:
        raise BadCheckpoint(f"'{name}' cannot have the shape {sizes}")
    return sizes


def _slice(weight: Mapping[str, Any], size: int) -> tuple[int, int, Shape]:
    shape, start = _sizes(weight["name"], weight["shape"]), index(weight["offset"])
    stop = start + prod(shape)
    if start < 0 or stop > size:
        raise BadCheckpoint(f"weight '{weight['name']}' {shape} at {start} does not fit into {size} numbers")
    return start, stop, shape
