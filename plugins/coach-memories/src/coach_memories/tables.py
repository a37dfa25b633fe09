"""Tables of experience, a step a row: CSV and Parquet files."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np

from coach_memories.filling import Blocks, Columns
from coachcore.api import Array, BadData, CoachError

_EPISODE = ("episode_id", "episode")
_FLAGS = ("terminated", "truncated")
_WORDS = {"true": 1.0, "false": 0.0}
_PLACE = re.compile(r"(.*?)[_.\[]?(\d+)\]?")
_MADE = "all_action_probabilities"
"""What the old system wrote besides, for evaluating policies; no column of a transition."""


def csv_episodes(path: Path) -> Blocks:
    """The episodes of a CSV file with a head line; see `episodes_of`."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        raise BadData(f"it is no CSV text: {problem}", where=str(path)) from None
    if not lines:
        raise BadData("it is empty, not even a head line is there", where=str(path))
    head, body = [name.strip() for name in lines[0]], [line for line in lines[1:] if line]
    wrong = next((number for number, line in enumerate(body, 2) if len(line) != len(head)), 0)
    if wrong:
        raise BadData(
            f"line {wrong} has {len(body[wrong - 2])} values, the head line names {len(head)}", where=str(path)
        )
    told = zip(head, zip(*body, strict=True) if body else [()] * len(head), strict=True)
    return episodes_of({name: _numbers(cells, name, path) for name, cells in told if name != _MADE}, path)


def parquet_episodes(path: Path) -> Blocks:
    """The episodes of a Parquet file; a column may hold lists of one length. Needs the extra ``parquet``."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise CoachError("reading it needs pyarrow - pip install 'coach-memories[parquet]'", where=str(path)) from None
    try:
        table = parquet.read_table(path)
    except (OSError, pa.ArrowException) as problem:
        raise BadData(f"it is no Parquet file: {str(problem).splitlines()[0]}", where=str(path)) from None
    columns = {name: table.column(name) for name in table.column_names if name != _MADE}
    return episodes_of({name: _array(column.to_pylist(), name, path) for name, column in columns.items()}, path)


def episodes_of(columns: Columns, path: Path) -> Blocks:
    """Episodes of a table with a row a step: ``episode_id``, ``action``, ``reward`` and observations.

    An observation is a column of its name, or a column a number: ``state_feature_0``, ``state_feature_1``
    ... (as the old system had it), ``goal_0`` ...; an action likewise. Rows of an episode stand together.
    Row t and the next one make a transition, so the last row of an episode shows what was
    observed in the end, and an episode of one row is none. Columns ``terminated`` and ``truncated`` (0, 1, true,
    false) say how it ended in the row of the last action; without them the task was over.
    """
    key = next((name for name in _EPISODE if name in columns), "")
    missing = [name for name, there in (("episode_id", bool(key)), ("reward", "reward" in columns)) if not there]
    if missing:
        there = ", ".join(sorted(columns)) or "none"
        raise BadData(f"column '{missing[0]}' is missing; there is {there}", where=str(path))
    episode = columns[key]
    joined = _joined({name: values for name, values in columns.items() if name != key})
    if not len(episode):
        return
    starts = np.flatnonzero(np.append(True, episode[1:] != episode[:-1]))
    if len(np.unique(episode)) != len(starts):
        raise BadData("the rows of an episode do not stand together - sort it by episode_id", where=str(path))
    for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(episode)], strict=True):
        yield _episode({name: values[start:stop] for name, values in joined.items()})


def _episode(rows: Columns) -> Columns:
    """One episode of T + 1 rows as `filling.episodes_as_columns` takes it."""
    steps = max(len(rows["reward"]) - 1, 0)
    found: Columns = {}
    for name, values in rows.items():
        if name in (*_FLAGS, "action", "reward"):
            found[name] = values[:steps].astype(bool) if name in _FLAGS else values[:steps]
        else:
            found[f"obs.{name.removeprefix('obs.')}"] = values
    over = np.arange(steps) == steps - 1
    truncated = found.setdefault("truncated", np.zeros(steps, bool))
    found.setdefault("terminated", over & ~truncated)
    return found


def _joined(columns: Columns) -> Columns:
    """Columns such as ``goal_0`` and ``goal_1`` as one ``goal`` ``[R, 2]``, in the order of their numbers."""
    parts: dict[str, dict[int, Array]] = {}
    whole: Columns = {}
    for name, values in columns.items():
        found = _PLACE.fullmatch(name)
        if found and found[1] and values.ndim == 1:
            parts.setdefault(found[1], {})[int(found[2])] = values
        else:
            whole[name] = values
    return whole | {name: np.stack([some[at] for at in sorted(some)], axis=1) for name, some in parts.items()}


def _numbers(cells: Any, name: str, path: Path) -> Array:
    try:
        return np.array([_WORDS.get(cell.strip().lower(), cell) for cell in cells], np.float64)
    except ValueError:
        place = next(number for number, cell in enumerate(cells, 2) if not _is_number(cell))
        raise BadData(
            f"column '{name}' holds {cells[place - 2]!r} in line {place}, which is no number", where=str(path)
        ) from None


def _is_number(cell: str) -> bool:
    try:
        float(_WORDS.get(cell.strip().lower(), cell))
    except ValueError:
        return False
    return True


def _array(values: list[Any], name: str, path: Path) -> Array:
    try:
        array = np.array(values)
    except ValueError:
        raise BadData(f"column '{name}' holds lists of several lengths - give one length", where=str(path)) from None
    if array.dtype.kind not in "biuf" and len(values):
        raise BadData(f"column '{name}' holds {array.dtype}, not numbers", where=str(path))
    return array
