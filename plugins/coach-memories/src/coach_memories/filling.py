"""Experience from elsewhere, put into a memory before the first step."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from coachcore.api import Array, BadData, Layout, param

Columns = dict[str, Array]
Blocks = Generator[Columns, None, None]
MINARI = "minari:"
ENDINGS = (".csv", ".parquet", ".hdf5", ".h5")
_WAY = f"name a run's folder, a saved memory, a file that ends in {', '.join(ENDINGS)}, or {MINARI}ID"


def load_setting() -> Any:
    """The setting that says what a memory holds at first."""
    return param(
        default="",
        doc="what the memory holds at first: a run's folder, a saved memory, a .csv, .parquet or .hdf5 file, "
        "or minari:ID; observations as the agent sees them; left out: nothing",
    )


def fill(store: Any, source: str, layout: Layout, discount: float, count: int = 0) -> None:
    """Add every transition of `source` to `store`; nothing where that is empty.

    With `count` > 0, `store` knows episodes: they become those of so many environments, in turn. A data set
    holds single steps of closed episodes. Raises `BadData` or `BadCheckpoint` with where the first thing
    that does not fit lies; what was added before stays.
    """
    if not source:
        return
    with closing(transitions_in(source, layout, discount)) as blocks:  # and the file that it reads
        first = next(blocks, None)
        if first is None:
            raise BadData("it holds no transition", where=source)
        _add(store, chain([first], blocks), source, count)


def _add(store: Any, blocks: Iterable[Columns], source: str, count: int) -> None:
    for number, block in enumerate(blocks):
        if count and "ended" not in block:
            raise BadData(
                "it was saved by a memory that did not know episodes, or joined steps - load it into experience-replay",
                where=source,
            )
        store.add({**block, "env": np.full(len(block["reward"]), number % max(count, 1))})


def transitions_in(source: str, layout: Layout, discount: float) -> Blocks:
    """The transitions of `source`, an episode or some steps of one environment at a time, with ``ended`` ``[M]``."""
    path = Path(source)
    if source.startswith(MINARI):
        from coach_memories.minari import named

        return episodes_as_columns(named(source.removeprefix(MINARI)), layout, discount, source)
    if not path.exists():
        raise BadData(f"there is nothing here - {_WAY}", where=source)
    if path.is_dir():
        from coach_memories.saved import transitions_of

        return transitions_of(path, layout)
    reader = _reader(path)
    return episodes_as_columns(reader(path), layout, discount, source)


def _reader(path: Path) -> Callable[[Path], Blocks]:
    ending = path.suffix.lower()
    if ending == ".csv":
        from coach_memories.tables import csv_episodes

        return csv_episodes
    if ending == ".parquet":
        from coach_memories.tables import parquet_episodes

        return parquet_episodes
    if ending in (".hdf5", ".h5"):
        from coach_memories.minari import hdf5_episodes

        return hdf5_episodes
    raise BadData(f"it is no file of experience that can be read - {_WAY}", where=str(path))


def episodes_as_columns(episodes: Blocks, layout: Layout, discount: float, where: str) -> Blocks:
    """Episodes of T steps -> their columns, in the order of `layout`, with ``ended``.

    An episode has ``obs.<name>`` ``[T + 1, ...]``, ``action`` ``[T, ...]``, ``reward``, ``terminated`` and
    ``truncated`` ``[T]``, and anything the agent keeps ``[T, ...]``. Its last step ends it. One that has a
    single observation may call it anything.
    """
    with closing(episodes):
        for number, episode in enumerate(episodes):
            at = f"{where}, episode {number}"
            steps = len(episode["reward"])
            if not steps:
                continue
            yield _columns(_renamed(episode, layout), layout, discount, steps, at)


def _renamed(episode: Columns, layout: Layout) -> Columns:
    """The only observation there is, by the name that the run has for its own only one."""
    here = [name for name in episode if name.startswith("obs.")]
    wanted = [column.name for column in layout.columns if column.name.startswith("obs.")]
    if len(here) == len(wanted) == 1 and here != wanted:
        return {wanted[0] if name == here[0] else name: values for name, values in episode.items()}
    return episode


def _columns(episode: Mapping[str, Array], layout: Layout, discount: float, steps: int, where: str) -> Columns:
    ended = np.zeros(steps, bool)
    ended[-1] = True
    columns: Columns = {"ended": ended}
    for column in layout.columns:
        name, values = column.name.removeprefix("next_"), None
        if name == "discount":
            values = np.where(episode["terminated"], 0.0, discount)
        elif name.startswith("obs.") and name in episode:
            values = episode[name][1:] if name != column.name else episode[name][:-1]
        elif name in episode:
            values = episode[name]
        if values is None:
            there = ", ".join(sorted(name for name in episode if name not in ("terminated", "truncated")))
            raise BadData(f"column '{name}' is missing; there is {there} - the run's agent needs it", where=where)
        columns[column.name] = _fitting(values, column.name, (steps, *column.shape), column.dtype, where)
    return columns


def _fitting(values: Array, name: str, shape: tuple[int, ...], dtype: str, where: str) -> Array:
    """`values` in the shape and precision of a column; raises `BadData` where they are others."""
    if values.shape != shape:
        raise BadData(
            f"column '{name}' has shape {values.shape}, the run's is {shape} - give the experience of the same spaces",
            where=where,
        )
    if values.dtype.kind not in "biuf":
        raise BadData(f"column '{name}' holds {values.dtype}, not numbers", where=where)
    if dtype == "uint8" and values.dtype != np.uint8:
        raise BadData(f"column '{name}' holds {values.dtype}, the run's holds bytes (uint8)", where=where)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        step = int(np.argwhere(~np.isfinite(values))[0, 0])
        raise BadData(f"column '{name}' is not a finite number in step {step} - leave that episode out", where=where)
    return values.astype(dtype, copy=False)
