"""Operations without layers' weights: scaling, clipping, cutting, joining, adding up, dueling."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import index

import numpy as np

from coachcore.acting.activations import ACTIVATIONS
from coachcore.acting.operation import Facts, Operation, Shape, Step, bounds, number, refusal, weight, whole
from coachcore.types import Array


def _same(facts: Facts, shapes: Sequence[Shape], _: Sequence[Shape]) -> Shape:
    if any(shape != shapes[0] for shape in shapes):
        raise refusal(facts, f"needs equal shapes, got {list(shapes)}")
    return shapes[0]


def _scaled(facts: Facts, shapes: Sequence[Shape], _: Sequence[Shape]) -> Shape:
    clipping = facts.get("clipping")
    number(facts, "offset", 0.0)
    if abs(number(facts, "rescaling", 1.0)) < np.finfo(np.float32).tiny:
        raise refusal(facts, f"needs a rescaling other than 0, got {facts['rescaling']}")
    if clipping is not None:
        bounds(facts, *clipping)
    return shapes[0]


def _reshaped(facts: Facts, shapes: Sequence[Shape], _: Sequence[Shape]) -> Shape:
    shape = tuple(map(index, facts.get("shape", (prod(shapes[0]),))))
    if prod(shape) != prod(shapes[0]) or min(shape, default=1) < 0:
        raise refusal(facts, f"cannot give {shapes[0]} the shape {shape}")
    return shape


def _joined(facts: Facts, shapes: Sequence[Shape], _: Sequence[Shape]) -> Shape:
    if any(shape[:-1] != shapes[0][:-1] or not shape for shape in shapes):
        raise refusal(facts, f"needs shapes equal up to the last axis, got {list(shapes)}")
    return (*shapes[0][:-1], sum(shape[-1] for shape in shapes))


def _stacked(facts: Facts, shapes: Sequence[Shape], weights: Sequence[Shape]) -> Shape:
    return (len(shapes), *_same(facts, shapes, weights))


def _cut(facts: Facts, shapes: Sequence[Shape], _: Sequence[Shape]) -> Shape:
    start, stop = whole(facts, "start"), whole(facts, "stop")
    if not start < stop <= shapes[0][-1]:
        raise refusal(facts, f"cannot cut {shapes[0]} from {start} to {stop}")
    return (*shapes[0][:-1], stop - start)


def _given(facts: Facts, _: Sequence[Shape], weights: Sequence[Shape]) -> Shape:
    shape = weight(facts, "kernel", weights)
    if not shape:
        raise refusal(facts, "needs a weight with an axis")
    return shape


def _clipped(facts: Facts, shapes: Sequence[Shape], _: Sequence[Shape]) -> Shape:
    bounds(facts, facts["low"], facts["high"])
    return shapes[0]


def _dueled(facts: Facts, shapes: Sequence[Shape], _: Sequence[Shape]) -> Shape:
    value, advantages = shapes
    if value != (1, *advantages[1:]) or len(advantages) not in (1, 2):
        raise refusal(facts, f"needs a value (1,) or (1, K) and advantages (A,) or (A, K), got {list(shapes)}")
    return advantages


def _scale(facts: Facts, ins: list[Array], out: Array, _: list[Array]) -> Step:
    by, offset = np.float32(1.0 / number(facts, "rescaling", 1.0)), np.float32(number(facts, "offset", 0.0))
    clipping = facts.get("clipping")
    limits = None if clipping is None else bounds(facts, *clipping)

    def step() -> None:
        np.multiply(ins[0], by, out)
        np.subtract(out, offset, out)
        if limits is not None:
            np.clip(out, *limits, out=out)

    return step


def _concatenate(_facts: Facts, ins: list[Array], out: Array, _: list[Array]) -> Step:
    return lambda: np.concatenate(ins, axis=-1, out=out)


def _stack(_facts: Facts, ins: list[Array], out: Array, _: list[Array]) -> Step:
    places = list(zip(ins, np.moveaxis(out, 1, 0), strict=True))

    def step() -> None:
        for x, place in places:
            np.copyto(place, x)

    return step


def _sum(_facts: Facts, ins: list[Array], out: Array, _: list[Array]) -> Step:
    def step() -> None:
        np.copyto(out, ins[0])
        for other in ins[1:]:
            np.add(out, other, out)

    return step


def _slice(facts: Facts, ins: list[Array], out: Array, _: list[Array]) -> Step:
    piece = ins[0][..., facts["start"] : facts["stop"]]
    return lambda: np.copyto(out, piece)


def _constant(facts: Facts, _ins: list[Array], out: Array, weights: list[Array]) -> Step:
    place: int = facts["kernel"]
    return lambda: np.copyto(out, weights[place])


def _clip(facts: Facts, ins: list[Array], out: Array, _: list[Array]) -> Step:
    limits = bounds(facts, facts["low"], facts["high"])
    return lambda: np.clip(ins[0], *limits, out=out)


def _activation(facts: Facts, ins: list[Array], out: Array, _: list[Array]) -> Step:
    activate = ACTIVATIONS[facts.get("activation", "linear")]

    def step() -> None:
        np.copyto(out, ins[0])
        if activate is not None:
            activate(out)

    return step


def _dueling(_facts: Facts, ins: list[Array], out: Array, _: list[Array]) -> Step:
    value, advantages = ins
    actions = advantages.shape[1]
    # centre @ A = A - mean A, in one product; the matrix is its own transpose
    centre = (np.eye(actions) - 1.0 / actions).astype(np.float32)
    first, second = (advantages, centre) if advantages.ndim == 2 else (centre, advantages)

    def step() -> None:
        np.matmul(first, second, out)
        np.add(out, value, out)

    return step


PLAIN: dict[str, Operation] = {
    "scale": Operation(_scaled, _scale),  # x / rescaling - offset, then clipped to clipping = [low, high]
    "flatten": Operation(_reshaped, None),
    "reshape": Operation(_reshaped, None),  # to shape, without the batch axis
    "slice": Operation(_cut, _slice),  # start to stop (not included) of the last axis
    "concatenate": Operation(_joined, _concatenate),  # along the last axis
    "stack": Operation(_stacked, _stack),  # n inputs [A] -> [n, A]
    "sum": Operation(_same, _sum),
    "constant": Operation(_given, _constant),  # the weight kernel for every row; inputs do not matter, none will do
    "clip": Operation(_clipped, _clip),  # to low .. high
    "activation": Operation(_same, _activation),
    "dueling": Operation(_dueled, _dueling),  # V + A - mean over actions of A, inputs [1], [A] or [1, K], [A, K]
}
