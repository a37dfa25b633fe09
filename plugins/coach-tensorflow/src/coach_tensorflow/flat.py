"""How the weights of all networks lie in one flat vector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

import attrs
import tensorflow as tf

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

    def of(self, flat: Any) -> Any:
        """This network's part of the flat vector."""
        return flat[self.start : self.start + self.size]

    def weights(self, leaves: Leaves) -> list[Any]:
        """The network's weights in their shapes, from one flat leaf or from one leaf a weight."""
        if len(leaves) == len(self.shapes):
            return [tf.reshape(leaf, shape) for leaf, shape in zip(leaves, self.shapes, strict=True)]
        return [
            tf.reshape(piece, shape) for piece, shape in zip(tf.split(leaves[0], self.sizes), self.shapes, strict=True)
        ]


@attrs.frozen
class Segments:
    """The segments of several networks, one behind the other."""

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

    def leaves(self, flat: Any, *, apart: bool) -> dict[str, Leaves]:
        """The flat vector as leaves by network: one leaf a weight if `apart`, else one leaf a network.

        Inside a compiled loop, weights carried apart save a slice each time round
        (5 to 10 % of an update); outside one, fewer and longer operations win.
        """
        parts = {name: segment.of(flat) for name, segment in self.by_name.items()}
        if not apart:
            return {name: (part,) for name, part in parts.items()}
        return {name: tuple(self.by_name[name].weights((part,))) for name, part in parts.items()}

    @staticmethod
    def flat(leaves: Iterable[Leaves]) -> Any:
        """Leaves back as one flat vector."""
        pieces = [tf.reshape(leaf, [-1]) for group in leaves for leaf in group]
        return pieces[0] if len(pieces) == 1 else tf.concat(pieces, 0)
