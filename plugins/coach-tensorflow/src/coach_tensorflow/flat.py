"""How the weights of each network lie in one flat vector."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import attrs
import numpy as np
import tensorflow as tf

from coachcore.api import Array

Leaves = tuple[Any, ...]


@attrs.frozen
class Segment:
    """One network's weights in the flat vector: `start`, and each weight's shape in order."""

    start: int
    shapes: tuple[tuple[int, ...], ...]

    @property
    def sizes(self) -> list[int]:
        return [prod(shape) for shape in self.shapes]

    @property
    def size(self) -> int:
        return sum(self.sizes)

    @property
    def small(self) -> list[int]:
        """Which weights are numbers and rows of numbers: biases."""
        return [index for index, shape in enumerate(self.shapes) if len(shape) <= 1]

    def of(self, flat: Any) -> Any:
        """This network's part of the flat vector."""
        return flat[self.start : self.start + self.size]

    def grouped(self, part: Any) -> Leaves:
        """A leaf for each kernel, then one for all biases together: a compiled update has a kernel less to run for
        each step of arithmetic on each leaf, and cutting the biases out again costs nothing."""
        weights = self.weights((part,))
        small = [weights[index] for index in self.small]
        kernels = [weight for index, weight in enumerate(weights) if index not in self.small]
        return (*kernels, tf.concat([tf.reshape(bias, [-1]) for bias in small], 0)) if small else tuple(kernels)

    def weights(self, leaves: Leaves) -> list[Any]:
        """The network's weights in their shapes, from one flat leaf, `grouped` leaves or one leaf a weight."""
        if len(leaves) == 1:
            pieces = zip(tf.split(leaves[0], self.sizes), self.shapes, strict=True) if len(self.shapes) > 1 else ()
            return [tf.reshape(piece, shape) for piece, shape in pieces] or [tf.reshape(leaves[0], self.shapes[0])]
        if [tuple(leaf.shape) for leaf in leaves] == list(self.shapes):
            return list(leaves)
        *kernels, together = leaves
        small = self.small
        cut = iter(tf.split(together, [self.sizes[index] for index in small]))
        rest = iter(kernels)
        return [
            tf.reshape(next(cut), shape) if index in small else next(rest) for index, shape in enumerate(self.shapes)
        ]


@attrs.frozen
class Segments:
    """The segments of several networks, one behind the other where all are one vector."""

    by_name: Mapping[str, Segment]

    @classmethod
    def of(cls, shapes: Mapping[str, tuple[tuple[int, ...], ...]]) -> Segments:
        by_name, start = {}, 0
        for name, given in shapes.items():
            by_name[name] = Segment(start, given)
            start += by_name[name].size
        return cls(by_name)

    @property
    def size(self) -> int:
        return sum(segment.size for segment in self.by_name.values())

    def parts(self, flat: Any) -> dict[str, Any]:
        """Each network's part of the flat vector."""
        return {name: segment.of(flat) for name, segment in self.by_name.items()}

    def leaves(self, parts: Mapping[str, Any], how: str) -> dict[str, Leaves]:
        """Each network's part as leaves: one leaf a network (``whole``), one a weight (``apart``), or as
        `Segment.grouped`.

        Inside a compiled loop, grouped leaves save slices and steps each time round; outside
        one, fewer and longer operations win. Statistics need weights apart.
        """
        if how == "whole":
            return {name: (part,) for name, part in parts.items()}
        if how == "grouped":
            return {name: self.by_name[name].grouped(part) for name, part in parts.items()}
        return {name: tuple(self.by_name[name].weights((part,))) for name, part in parts.items()}

    def joined(self, leaves: Mapping[str, Leaves]) -> dict[str, Any]:
        """Leaves by network back as each network's part."""
        return {name: _joined(segment, leaves[name]) for name, segment in self.by_name.items()}


def _joined(segment: Segment, leaves: Leaves) -> Any:
    pieces = [tf.reshape(piece, [-1]) for piece in (leaves if len(leaves) == 1 else segment.weights(leaves))]
    return pieces[0] if len(pieces) == 1 else tf.concat(pieces, 0)


class Vector:
    """One number for each weight, as a variable a network: a long one costs no more a call than a short one, and
    cutting networks out of one vector would copy them at every update."""

    def __init__(self, segments: Segments, numbers: Array) -> None:
        self._segments = segments
        self.variables = {name: tf.Variable(part, trainable=False) for name, part in segments.parts(numbers).items()}

    @property
    def size(self) -> int:
        return self._segments.size

    def leaves(self, how: str) -> dict[str, Leaves]:
        """Its numbers in the program that is being made, as `Segments.leaves`."""
        return self._segments.leaves({name: variable.value() for name, variable in self.variables.items()}, how)

    def take(self, leaves: Mapping[str, Leaves]) -> dict[str, Any]:
        """Become `leaves`; returns each network's part."""
        parts = self._segments.joined(leaves)
        for name, part in parts.items():
            self.variables[name].assign(part)
        return parts

    def numpy(self) -> Array:
        """All numbers ``[P]``, one network behind the other, in an array of their own."""
        return np.concatenate([np.zeros(0, np.float32), *(variable.numpy() for variable in self.variables.values())])

    def assign(self, numbers: Array) -> None:
        """Become `numbers` ``[P]``."""
        for name, part in self._segments.parts(numbers).items():
            self.variables[name].assign(part)
