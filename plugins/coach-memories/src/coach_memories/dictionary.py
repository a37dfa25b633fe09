"""Values written under keys that are points, and read from under the nearest: one such dictionary an action."""

from __future__ import annotations

from typing import Any, NamedTuple

import attrs
import numpy as np

from coach_memories.neighbours import Approximate, Exact, Neighbours
from coachcore.api import Array, BadCheckpoint, BadData, BadSetting, State, param


class Found(NamedTuple):
    """What lies nearest to some keys, the nearest first."""

    keys: Array  # [B, k, W] float32
    values: Array  # [B, k] float32
    places: Array  # [B, k] int64, for `change`


@attrs.frozen(kw_only=True)
class NeuralDictionary:
    """Settings of a differentiable neural dictionary: keys ``[W]`` and values, found by nearness.

    A value written under a key that is nearer than `threshold` to one that is there moves that one's value by
    `rate` towards itself; else the key is new, and where there is no room it takes the place of the one
    that was found longest ago. The embedding that wrote a key goes on learning, and so may key and value:
    `NeuralDictionaries.change` takes what a gradient step made of them.

    The old system's index forgot some of its settings when it was emptied, and could not be built up
    to the size it was given; here emptying is making a new one.

    Pritzel et al. 2017, arXiv:1703.01988, section 2 and algorithm 1.
    """

    size: int = param(default=500_000, ge=1, doc="keys of each action at most", unit="keys")
    neighbours: int = param(default=50, ge=1, doc="nearest keys that a lookup reads")
    threshold: float = param(default=0.01, ge=0, doc="distance within which two keys are the same")
    rate: float = param(default=0.1, gt=0, le=1, doc="how far a known key's value moves towards a new one")
    search: str = param(
        default="exact",
        choices=("exact", "approximate"),
        doc="compare every key, or walk a graph of them (needs the extra neighbours; for 100_000 keys and more)",
    )

    def make(self, width: int, actions: int) -> NeuralDictionaries:
        """Empty dictionaries for keys of `width` numbers, one each of `actions` actions."""
        return NeuralDictionaries([_Dictionary(self, width) for _ in range(actions)])


class NeuralDictionaries:
    """One dictionary an action; they change in place."""

    def __init__(self, each: list[_Dictionary]) -> None:
        self._each = each

    def write(self, keys: Array, actions: Array, values: Array) -> None:
        """Write `values` ``[M]`` under `keys` ``[M, W]``, each into the dictionary of its action ``[M]``.

        Raises `BadData`, and writes nothing, where a number is not finite or an action is none.
        """
        if not (np.isfinite(keys).all() and np.isfinite(values).all()):
            raise BadData(
                "a key or a value is not a finite number - lower agent.learner.learning_rate",
                where="dictionary",
            )
        self._known(actions)
        for action in np.unique(actions).tolist():
            mine = actions == action
            self._each[action].write(keys[mine].astype(np.float32), values[mine].astype(np.float32))

    def read(self, keys: Array, action: int, count: int | None = None) -> Found:
        """What lies nearest to `keys` ``[B, W]`` for an action; as many as the settings say unless `count` is given.

        Raises `BadSetting` where there are fewer.
        """
        self._known(np.array([action]))
        return self._each[action].read(np.asarray(keys, np.float32), count)

    def enough(self, count: int | None = None) -> bool:
        """Whether every action has as many keys as a lookup reads."""
        return all(len(one) >= (count or one.part.neighbours) for one in self._each)

    def change(self, action: int, places: Array, keys: Array, values: Array) -> None:
        """Put `keys` ``[M, W]`` and `values` ``[M]`` in the place of others; of a place named twice the last stays."""
        self._known(np.array([action]))
        self._each[action].change(places, np.asarray(keys, np.float32), np.asarray(values, np.float32))

    def sizes(self) -> list[int]:
        """How many keys each action has."""
        return [len(one) for one in self._each]

    def _known(self, actions: Array) -> None:
        wrong = (actions < 0) | (actions >= len(self._each))
        if wrong.any():
            raise BadData(f"action {actions[wrong][0]} is none of 0..{len(self._each) - 1}", where="dictionary")

    def state(self) -> State:
        return [one.state() for one in self._each]

    def restore(self, state: State) -> None:
        if len(state) != len(self._each):
            raise BadCheckpoint(
                f"dictionaries of {len(state)} actions were saved, there are {len(self._each)}", where="dictionary"
            )
        for one, saved in zip(self._each, state, strict=True):
            one.restore(saved)


class _Dictionary:
    """Keys, values, and when each key was last found."""

    def __init__(self, part: NeuralDictionary, width: int) -> None:
        self.part = part
        self._keys = np.zeros((part.size, width), np.float32)
        self._values = np.zeros(part.size, np.float32)
        self._used = np.zeros(part.size, np.int64)  # count of the call that last found or wrote it
        self._filled, self._calls = 0, 0
        self._near: Any = self._search()

    def _search(self) -> Neighbours:
        size, width = self._keys.shape
        return Exact(size, width) if self.part.search == "exact" else Approximate(width)

    def __len__(self) -> int:
        return self._filled

    def write(self, keys: Array, values: Array) -> None:
        """One after the other, except that all are looked for before any is written."""
        self._calls += 1
        old = self._same(keys)
        new: list[int] = []  # of those written anew, which
        for row, place in enumerate(old.tolist()):
            if place >= 0:
                self._move(self._values, place, values[row])
                self._used[place] = self._calls
            else:
                twin = self._twin(keys, new, row)
                if twin < 0:
                    new.append(row)
                else:
                    self._move(values, twin, values[row])
        self._insert(keys[new], values[new])

    def _same(self, keys: Array) -> Array:
        """The place of the key that each of `keys` ``[M, W]`` is, -1 where it is a new one."""
        if not self._filled:
            return np.full(len(keys), -1)
        places, away = self._near.nearest(keys, 1)
        return np.where(away[:, 0] <= self.part.threshold**2, places[:, 0], -1)

    def _twin(self, keys: Array, new: list[int], row: int) -> int:
        """The nearest of the rows `new` that `row` is the same as, or -1."""
        if not new:
            return -1
        away = np.square(keys[new] - keys[row]).sum(axis=1)
        nearest = int(away.argmin())
        return new[nearest] if away[nearest] <= self.part.threshold**2 else -1

    def _move(self, values: Array, place: int, towards: float) -> None:
        values[place] += np.float32(self.part.rate) * (towards - values[place])

    def _insert(self, keys: Array, values: Array) -> None:
        keys, values = keys[-self.part.size :], values[-self.part.size :]
        free = min(self.part.size - self._filled, len(keys))
        places = np.arange(self._filled, self._filled + free)
        if free < len(keys):
            longest = np.argsort(self._used[: self._filled], kind="stable")[: len(keys) - free]
            places = np.concatenate([places, longest])
        self._filled += free
        self._keys[places], self._values[places], self._used[places] = keys, values, self._calls
        if len(places):
            self._near.put(places, keys)

    def read(self, keys: Array, count: int | None) -> Found:
        count = count or self.part.neighbours
        if self._filled < count:
            raise BadSetting(
                f"{count} neighbours cannot be found among {self._filled} keys - heat up for longer", where="dictionary"
            )
        self._calls += 1
        places, _ = self._near.nearest(keys, count)
        self._used[places] = self._calls
        return Found(self._keys[places], self._values[places], places)

    def change(self, places: Array, keys: Array, values: Array) -> None:
        self._keys[places], self._values[places] = keys, values
        changed = np.unique(places)
        self._near.put(changed, self._keys[changed])

    def state(self) -> State:
        filled = self._filled
        return {
            "keys": self._keys[:filled].copy(),
            "values": self._values[:filled].copy(),
            "used": self._used[:filled].copy(),
            "calls": self._calls,
            "near": self._near.state(),
        }

    def restore(self, state: State) -> None:
        filled = len(state["keys"])
        if filled > self.part.size or state["keys"].shape[1:] != self._keys.shape[1:]:
            raise BadCheckpoint(
                f"{filled} keys of {state['keys'].shape[1]} numbers were saved, there is room for "
                f"{self.part.size} of {self._keys.shape[1]}",
                where="dictionary",
            )
        self._filled, self._calls = filled, int(state["calls"])
        self._keys[:filled], self._values[:filled] = state["keys"], state["values"]
        self._used[:filled] = state["used"]
        self._near = self._search()
        self._near.restore(state["near"], self._keys[:filled])
