"""Pictures before and after a step: every distinct plane is stored once, stacks are rebuilt when drawn."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import numpy as np

from coach_memories.room import Room, length, put
from coachcore.api import Array, BadCheckpoint, BadSetting, Layout, State

NOTHING = 0
"""The plane that stands for none: rows that were never written hold it."""
SPARE = 128
"""One plane more is reserved for so many transitions: an episode has one plane more than it has steps."""
REMEMBERED = 64
"""Newest planes an environment that a new plane is looked for among."""
TOGETHER = 64
"""Rows that are cut into planes at once."""


class Planes:
    """The picture ``[H, W, C]`` before and after each of `capacity` transitions; it changes in place.

    A plane is one ``[H, W]`` of the C, such as one frame of a stack, and a
    transition holds the numbers of its 2 C planes. A plane that is among those
    used last is found again by the hash of its bytes, and then by the bytes
    themselves, so equal hashes never mix pictures up; a plane is freed with the last
    transition that holds it. Stacks of frames so take some H * W + 8 C bytes a
    transition (7.2 kB for 84 x 84 x 4, not 56) in whatever order steps and environments
    come. Room is made as it is needed for pictures that have more new planes a step, such as
    colours or very short episodes: a transition never leaves early.
    """

    def __init__(self, shape: tuple[int, ...], capacity: int, count: int, room: Room | None = None) -> None:
        self.shape = shape
        self._room = room or Room()
        height, width, self._deep = shape
        self._window = REMEMBERED * (count + 1)
        self._ids = np.zeros((capacity, 2, self._deep), np.int32)
        reserved = 1 + capacity + capacity // SPARE + self._deep * (count + 1)
        self._pixels = self._room.empty((reserved, height * width), np.uint8)
        self._clear()

    def _clear(self) -> None:
        self._uses = array("i", [0])  # how many places hold each plane; its length is the first number never used
        self._free: list[int] = []
        self._recent: OrderedDict[int, int] = OrderedDict()  # hash of its bytes -> plane, used longest ago first

    def put(self, rows: Array, before: Array, after: Array) -> None:
        """Pictures ``[M, H, W, C]`` for `rows` ``[M]``, each row once; what they held is forgotten."""
        for start in range(0, len(rows), TOGETHER):
            some = slice(start, start + TOGETHER)
            self._forget(self._ids[rows[some]])
            self._ids[rows[some]] = self._stored(before[some], after[some])

    def _forget(self, ids: Array) -> None:
        for plane in ids.ravel().tolist():
            if plane == NOTHING:
                continue
            self._uses[plane] -= 1
            if not self._uses[plane]:
                self._free.append(plane)
                key = hash(self._pixels[plane].tobytes())
                if self._recent.get(key) == plane:
                    del self._recent[key]

    def _stored(self, before: Array, after: Array) -> Array:
        """The numbers ``[M, 2, C]`` of the planes of pictures ``[M, H, W, C]``."""
        count, area = len(before), self._pixels.shape[1]
        planes = np.empty((count, 2, self._deep, area), np.uint8)
        for place, pictures in enumerate((before, after)):
            planes[:, place] = pictures.reshape(count, area, self._deep).swapaxes(1, 2)
        ids = [self._found(plane.tobytes()) for plane in planes.reshape(-1, area)]
        return np.array(ids, np.int32).reshape(count, 2, self._deep)

    def _found(self, pixels: bytes) -> int:
        """The number of the plane with these bytes, which is used once more; a new one where it is not remembered."""
        key = hash(pixels)
        plane = self._recent.get(key, NOTHING)
        if plane == NOTHING or self._pixels[plane].tobytes() != pixels:
            plane = self._free.pop() if self._free else self._unused()
            self._pixels[plane] = np.frombuffer(pixels, np.uint8)
            self._recent[key] = plane
        self._recent.move_to_end(key)
        if len(self._recent) > self._window:
            self._recent.popitem(last=False)
        self._uses[plane] += 1
        return plane

    def _unused(self) -> int:
        plane = len(self._uses)
        if plane == len(self._pixels):
            self._grow(plane + plane // 64 + 1)
        self._uses.append(0)
        return plane

    def _grow(self, wanted: int) -> None:
        try:
            self._pixels = self._room.grown(self._pixels, wanted)
        except MemoryError:
            held = self._pixels.nbytes / 1e9
            raise BadSetting(
                f"{len(self._ids)} transitions hold more than {held:.0f} GB of pictures, all that this machine has - "
                "lower it",
                where="memory.capacity",
            ) from None

    def copy(self, rows: Array, to: Array) -> None:
        """The pictures of `rows` ``[M]`` for `to` ``[M]``, each of these once, too; no plane is stored anew."""
        self._hold(self._ids[rows], to, slice(None))

    def follow(self, rows: Array, later: Array) -> None:
        """After `rows` ``[M]`` comes what came after `later` ``[M]``."""
        self._hold(self._ids[later, 1], rows, 1)

    def _hold(self, ids: Array, rows: Array, side: int | slice) -> None:
        for plane in ids.ravel().tolist():
            self._uses[plane] += 1
        self._forget(self._ids[rows, side])
        self._ids[rows, side] = ids

    def take(self, rows: Array) -> tuple[Array, Array]:
        """The pictures before and after at `rows` ``[...]``, both ``[..., H, W, C]``.

        They are views, with the planes outermost, of one array of their own: turning them costs ten times
        as much as collecting the planes, and whoever copies them somewhere does it on the way.
        """
        ids = np.moveaxis(self._ids[rows], -2, 0)  # [2, ..., C]
        planes = self._pixels.take(ids, axis=0).reshape(*ids.shape, *self.shape[:2])
        before, after = np.moveaxis(planes, -3, -1)
        return before, after

    def state(self, filled: int) -> State:
        """Every plane there is, and which of them the first `filled` rows hold, copied."""
        return {
            "pixels": self._room.saved(self._pixels[1 : len(self._uses)]),
            "ids": self._ids[:filled].copy(),
            "free": np.array(self._free, np.int64),
            "recent": np.array(list(self._recent.values()), np.int64),
        }

    def restore(self, state: State) -> None:
        """Hold what `state` holds; raises `BadCheckpoint` for numbers of planes that are not there."""
        ids, recent, count = state["ids"], state["recent"], length(state["pixels"]) + 1
        uses = np.bincount(np.maximum(ids.ravel(), 0), minlength=count)
        if not (
            len(uses) == count
            and uses[NOTHING] == 0
            and np.array_equal(np.sort(state["free"]), np.flatnonzero(uses[1:] == 0) + 1)
            and np.isin(recent, np.flatnonzero(uses)).all()
        ):
            raise BadCheckpoint("the saved pictures do not fit together - use another checkpoint", where="memory")
        if count > len(self._pixels):
            self._grow(count)
        self._clear()
        put(self._pixels[1:], state["pixels"])
        self._ids[:] = NOTHING
        self._ids[: len(ids)] = ids
        self._uses = array("i", uses.astype(np.int32).tobytes())
        self._free = state["free"].tolist()
        self._recent.update((hash(self._pixels[plane].tobytes()), plane) for plane in recent.tolist())


def pictures_of(layout: Layout) -> Mapping[str, tuple[int, ...]]:
    """The shapes of the observations that are bytes ``[H, W, C]`` both before and after a step, by name."""
    apart = {column.name: column for column in layout.apart}
    found: dict[str, Any] = {}
    for column in layout.apart:
        name = column.name.removeprefix("obs.")
        twin = apart.get(f"next_obs.{name}")
        if column.name == f"obs.{name}" and column.dtype == "uint8" and len(column.shape) == 3 and twin is not None:
            found[name] = column.shape
    return found
