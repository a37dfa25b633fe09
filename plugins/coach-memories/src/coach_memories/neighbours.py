"""Which of many points lie nearest to others: all of them compared, or a graph of them walked along."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from coachcore.api import Array, CoachError, State

_TOGETHER = 1 << 24
"""Distances that are worked out at once: 64 MB."""


class Neighbours(Protocol):
    """Finds the nearest of the points ``[n, W]`` that lie in numbered places.

    Must keep true: equal points and equal calls give equal answers, also after `restore`; the
    nearest come first.
    """

    def put(self, places: Array, points: Array) -> None:
        """The points ``[M, W]`` lie in `places` ``[M]`` now, each named once, in the place of what lay there."""
        ...

    def nearest(self, points: Array, count: int) -> tuple[Array, Array]:
        """The places of the `count` nearest to each of `points` ``[B, W]``, and their squared distances, ``[B, k]``."""
        ...

    def state(self) -> State:
        """What it takes to find the same again."""
        ...

    def restore(self, state: State, points: Array) -> None:
        """Find what the saved one found; the `points` ``[n, W]`` lie in places 0 to n - 1."""
        ...


class Exact:
    """Compares every point."""

    def __init__(self, size: int, width: int) -> None:
        self._points = np.empty((size, width), np.float32)
        self._squares = np.empty(size, np.float32)
        self._filled = 0

    def put(self, places: Array, points: Array) -> None:
        """As `Neighbours.put`."""
        self._points[places] = points
        self._squares[places] = np.einsum("mw,mw->m", points, points)
        self._filled = max(self._filled, int(places.max(initial=-1)) + 1)

    def nearest(self, points: Array, count: int) -> tuple[Array, Array]:
        """As `Neighbours.nearest`."""
        rows = max(1, _TOGETHER // max(1, self._filled))
        parts = [self._some(points[start : start + rows], count) for start in range(0, len(points), rows)]
        return np.concatenate([places for places, _ in parts]), np.concatenate([away for _, away in parts])

    def _some(self, points: Array, count: int) -> tuple[Array, Array]:
        there = self._points[: self._filled]
        rough = self._squares[: self._filled] - 2.0 * (points @ there.T)  # up to what is the same for all
        places = np.argpartition(rough, count - 1, axis=1)[:, :count] if count < self._filled else _all(rough)
        away = np.square(there[places] - points[:, None]).sum(axis=-1)  # cancels nothing, unlike the rough one
        order = away.argsort(axis=1, kind="stable")
        return np.take_along_axis(places, order, axis=1), np.take_along_axis(away, order, axis=1)

    def state(self) -> State:
        """Nothing: the points are all."""
        return None

    def restore(self, state: State, points: Array) -> None:
        """As `Neighbours.restore`."""
        self._filled = 0
        self.put(np.arange(len(points)), points)


def _all(rough: Array) -> Array:
    return np.broadcast_to(np.arange(rough.shape[1]), rough.shape)


class Approximate:
    """Walks along a graph of near points (HNSW, Malkov & Yashunin 2016, arXiv:1603.09320).

    Needs the extra ``neighbours``. One thread, so that equal calls give equal graphs; and what is saved is read back
    at once, so that whoever restores it has the very graph that goes on here.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._index: Any = self._new()

    def _new(self) -> Any:
        try:
            from usearch.index import Index
        except ImportError:
            raise CoachError(
                "approximate neighbours need usearch - pip install 'coach-memories[neighbours]', or search = 'exact'",
                where="memory",
            ) from None
        return Index(ndim=self._width, metric="l2sq", dtype="f32")

    def put(self, places: Array, points: Array) -> None:
        """As `Neighbours.put`."""
        known = places[self._index.contains(places.astype(np.uint64))] if len(self._index) else places[:0]
        if len(known):
            self._index.remove(known.astype(np.uint64), threads=1)
        self._index.add(places.astype(np.uint64), np.ascontiguousarray(points, np.float32), threads=1)

    def nearest(self, points: Array, count: int) -> tuple[Array, Array]:
        """As `Neighbours.nearest`; one or the other may be missed."""
        found = self._index.search(np.ascontiguousarray(points, np.float32), count, threads=1)
        shape = len(points), -1
        return found.keys.reshape(shape).astype(np.int64), found.distances.reshape(shape).astype(np.float32)

    def state(self) -> State:
        """The graph as bytes."""
        graph = np.frombuffer(bytes(self._index.save()), np.uint8)
        self.restore(graph, np.empty((0, self._width), np.float32))
        return graph

    def restore(self, state: State, points: Array) -> None:
        """As `Neighbours.restore`."""
        self._index = self._new()
        self._index.load(bytearray(np.asarray(state, np.uint8).tobytes()))
