"""Memories in the format of checkpoints: written to a folder, and read back from there or from a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from coach_memories.episodes import Episodes
from coach_memories.filling import Blocks, Columns
from coach_memories.ring import Ring
from coachcore.api import Array, BadCheckpoint, Layout
from coachcore.running.checkpoint import Checkpoints

_TOGETHER = 4_096
"""Steps that are handed on at once."""


def save(store: Any, folder: str | Path) -> None:
    """Write all that `store` holds into `folder`: arrays and a manifest, each with its sha256, nothing pickled.

    A memory that was saved there before is replaced once the new one is whole.
    """
    Checkpoints(Path(folder)).save("memory", {"memory": store.state()})


def transitions_of(folder: Path, layout: Layout) -> Blocks:
    """The transitions that `save`, or a run in `folder`, wrote there, the oldest first.

    Of a memory that knows episodes each is a block of its own, with ``ended``; one still open ends where
    it was saved; copies made in hindsight are left out. Priorities are not taken over. Raises
    `BadCheckpoint` where there are no transitions, or they are damaged or have other columns than `layout`.
    """
    inner = folder / "checkpoints"
    place = inner if inner.is_dir() else folder
    state = Checkpoints(place).load()
    whole = state.get("machine", state) if isinstance(state, Mapping) else None  # a run's holds all else, too
    found = whole.get("memory") if isinstance(whole, Mapping) else None
    if not isinstance(found, Mapping):
        raise BadCheckpoint("it is a checkpoint, but holds no memory", where=str(place))
    saved = found.get("ring", found)
    try:
        ring = Ring(layout, int(saved["capacity"]))
        ring.restore(saved)
        blocks = _in_time(ring) if found.get("n_step", 0) != 1 else _by_episode(ring, found)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadCheckpoint("what it holds is no replay memory - only those can be loaded", where=str(place)) from None
    except BadCheckpoint as problem:
        raise BadCheckpoint(problem.message, where=str(place)) from None
    return blocks


def _in_time(ring: Ring) -> Blocks:
    rows = ring.newest(ring.filled)
    return (_columns(ring, rows[start : start + _TOGETHER]) for start in range(0, len(rows), _TOGETHER))


def _by_episode(ring: Ring, found: Mapping[str, Any]) -> Blocks:
    state = found["episodes"]
    episodes = Episodes(ring, len(state["length"]), copies=bool(state["copies"]))
    episodes.restore(state)
    rows, lanes = ring.newest(ring.filled), episodes.order.lanes()
    rows, lanes = rows[lanes < episodes.count], lanes[lanes < episodes.count]
    order = lanes.argsort(kind="stable")
    rows, lanes = rows[order], lanes[order]
    last = (episodes.after(rows) == 0) | np.append(lanes[1:] != lanes[:-1], True)
    for part in np.split(rows, np.flatnonzero(last)[:-1] + 1):
        ended = np.zeros(len(part), bool)
        ended[-1:] = True
        yield {**_columns(ring, part), "ended": ended}


def _columns(ring: Ring, rows: Array) -> Columns:
    """Every column ``[M, ...]`` of the transitions in `rows`."""
    packed, apart, columns = ring.packed(rows), ring.apart(rows), {}
    for column in ring.layout.columns:
        where = ring.layout.packed.get(column.name)
        columns[column.name] = (
            apart[column.name] if where is None else packed[:, where].reshape(len(rows), *column.shape)
        )
    return columns
