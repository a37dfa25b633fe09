"""Where transitions lie: one float32 matrix a ring, a row a transition, bytes and pictures beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from coach_memories.capacity import bytes_of, transitions
from coach_memories.planes import Planes, pictures_of
from coach_memories.room import Room, length, put
from coachcore.api import Array, BadCheckpoint, BadSetting, Layout, Mismatch, State

_SIDES = ("obs.", "next_obs.")


class Ring:
    """At most `capacity` transitions, the oldest overwritten first; it changes in place.

    Memory is reserved at once and used as it fills: 4 W bytes a transition
    (44 MB for a million of CartPole, W = 11) and whatever lies apart; of pictures
    ``[H, W, C]`` every distinct plane lies there once (`Planes`).
    Rows are numbered by place, not by age: row r is overwritten `capacity`
    transitions after it was written. Raises `BadSetting` where the machine lacks the memory.
    """

    def __init__(self, layout: Layout, capacity: int, count: int = 1, room: Room | None = None) -> None:
        self.layout = layout
        self._room = room or Room()
        self.capacity = capacity
        self.filled = 0
        self._first = layout.columns[0].name
        self.next = 0  # row that the next transition is written to
        try:
            self._packed = self._room.empty((capacity, layout.width), np.float32)
            self._pictures = {
                name: Planes(shape, capacity, count, self._room) for name, shape in pictures_of(layout).items()
            }
            pictured = {side + name for name in self._pictures for side in _SIDES}
            self._apart = {
                c.name: self._room.empty((capacity, *c.shape), c.dtype) for c in layout.apart if c.name not in pictured
            }
        except MemoryError:
            raise _too_large(layout, capacity) from None
        after = [where for name, where in layout.packed.items() if name.startswith(_SIDES[1])]
        self._after = slice(after[0].start, after[-1].stop) if after else slice(0, 0)  # they lie side by side
        self._columns = [(c.name, self.column(c.name)) for c in layout.columns if c.name not in pictured]

    @classmethod
    def of(cls, part: Any, layout: Layout, count: int, beside: int = 0) -> Ring:
        """A ring as the settings `capacity` and `disk` of a memory say; it keeps `beside` bytes more for each row."""
        return cls(layout, transitions(part.capacity, layout, beside), count, Room(part.disk))

    def column(self, name: str) -> Array:
        """One column ``[capacity, *shape]`` that is no picture; it writes through to where it lies."""
        where = self.layout.packed.get(name)
        if where is None:
            return self._apart[name]
        return self._packed[:, where].reshape(self.capacity, *self.layout[name].shape)

    def newest(self, count: int) -> Array:
        """The rows of the newest `count` transitions, in time; all rows where that is more than there are."""
        count = min(count, self.capacity)
        start = self.next - count
        return np.arange(start, self.next) if start >= 0 else np.arange(start, self.next) % self.capacity

    def add(self, columns: Mapping[str, Array]) -> int:
        """Append M transitions, each column ``[M, ...]``; returns M (of more than `capacity`, the last are kept)."""
        count, start = len(columns[self._first]), self.next
        if start + count > self.capacity:
            return self._add_around(columns, count)
        for name, column in self._columns:
            column[start : start + count] = columns[name]
        if self._pictures:
            self._put_pictures(np.arange(start, start + count), columns)
        self._advance(count)
        return count

    def _add_around(self, columns: Mapping[str, Array], count: int) -> int:
        rows = (self.next + np.arange(count))[-self.capacity :] % self.capacity
        for name, column in self._columns:
            column[rows] = columns[name][-self.capacity :]
        self._put_pictures(rows, columns)
        self._advance(count)
        return count

    def _put_pictures(self, rows: Array, columns: Mapping[str, Array]) -> None:
        for name, planes in self._pictures.items():
            before, after = (columns[side + name][-self.capacity :] for side in _SIDES)
            planes.put(rows, before, after)

    def _advance(self, count: int) -> None:
        self.next = (self.next + count) % self.capacity
        self.filled = min(self.filled + count, self.capacity)

    def packed(self, rows: Array) -> Array:
        """The packed rows ``[..., W]`` at `rows` ``[...]``, in an array of their own."""
        return self._packed.take(rows, axis=0)

    def apart(self, rows: Array) -> Mapping[str, Array]:
        """The columns that lie apart, each ``[..., *shape]``, in arrays that nothing else writes to."""
        found = {name: column.take(rows, axis=0) for name, column in self._apart.items()}
        for name, planes in self._pictures.items():
            found.update(zip((side + name for side in _SIDES), planes.take(rows), strict=True))
        return found

    def again(self, rows: Array) -> Array:
        """Append copies of `rows` ``[M]``, of more than `capacity` the last; the rows where they lie."""
        rows = rows[-self.capacity :]
        to = (self.next + np.arange(len(rows))) % self.capacity
        for store in (self._packed, *self._apart.values()):
            store[to] = store[rows]
        for planes in self._pictures.values():
            planes.copy(rows, to)
        self._advance(len(rows))
        return to

    def follow(self, rows: Array, later: Array) -> None:
        """After `rows` ``[M]`` was observed what came after `later` ``[M]``."""
        self._packed[rows, self._after] = self._packed[later, self._after]
        for name, column in self._apart.items():
            if name.startswith(_SIDES[1]):
                column[rows] = column[later]
        for planes in self._pictures.values():
            planes.follow(rows, later)

    def state(self) -> State:
        """The filled part, copied, and what it takes to read it back."""
        return {
            "columns": described(self.layout),
            "capacity": self.capacity,
            "next": self.next,
            "packed": self._room.saved(self._packed[: self.filled]),
            "apart": {name: self._room.saved(column[: self.filled]) for name, column in self._apart.items()},
            "pictures": {name: planes.state(self.filled) for name, planes in self._pictures.items()},
        }

    def restore(self, state: State) -> None:
        """Hold what `state` holds; raises `BadCheckpoint` for another layout or capacity."""
        fits = state.get("pictures", {}).keys() == self._pictures.keys()
        if list(map(list, state["columns"])) != described(self.layout) or not fits:
            raise BadCheckpoint(
                "the saved transitions have other columns - resume with the same spaces, agent and filters",
                where="memory",
            )
        if state["capacity"] != self.capacity:
            raise BadCheckpoint(
                f"a memory of {state['capacity']} transitions was saved - set capacity to it, not {self.capacity}",
                where="memory",
            )
        for name, planes in self._pictures.items():
            planes.restore(state["pictures"][name])
        self.filled, self.next = length(state["packed"]), int(state["next"])
        put(self._packed, state["packed"])
        for name, column in self._apart.items():
            put(column, state["apart"][name])


def _too_large(layout: Layout, capacity: int) -> BadSetting:
    each = bytes_of(layout)
    return BadSetting(
        f"{capacity} transitions of {each:.0f} bytes need {capacity * each / 1e9:.0f} GB, "
        "more than this machine has - lower it",
        where="memory.capacity",
    )


def only_single(sequence: int, name: str) -> None:
    """Raise `Mismatch` where sequences are asked of a memory that shuffles single transitions."""
    if sequence > 1:
        raise Mismatch(
            f"'{name}' draws single transitions, not sequences of {sequence} steps - "
            "use a memory with the order sequence",
            where="memory",
        )


def described(layout: Layout) -> list[list[object]]:
    """The columns of `layout` as a state keeps them, to be compared when it is read back."""
    return [[c.name, list(c.shape), c.dtype] for c in layout.columns]
