"""The recorder `csv`: episodes, reports and evaluations as rows of one table."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path
from typing import Any

import attrs

from coach_records.appending import Appended
from coachcore.api import BadSetting, Event, RunInfo, component, param

NAME = "progress.csv"
ALWAYS = ("kind", "step", "episode", "update")
EPISODE = ("phase", "return", "length", "exploration")
REPORT = ("loss", "learning_rate")
EVALUATION = ("mean", "std", "min", "max", "episodes", "success")
COLUMNS = (*EPISODE, *REPORT, *EVALUATION)
ROWS = ("episode", "report", "evaluation")


def _known_once(_part: Any, _field: Any, columns: tuple[str, ...]) -> None:
    again = sorted({name for name in columns if columns.count(name) > 1 or name in ALWAYS})
    if again:
        raise BadSetting(f"'{again[0]}' would be in the table twice; {', '.join(ALWAYS)} always are", where="columns")


@component("recorder", "csv")
@attrs.frozen(kw_only=True)
class Table:
    """One row an episode, report and evaluation, in ``progress.csv``.

    The header never changes during a run: ``kind, step, episode, update``, then
    `columns`. A cell is empty where the event says nothing of that name:
    episodes fill phase, return, length and exploration; reports exploration,
    loss and learning_rate (and further metrics, where `columns` names them);
    evaluations mean, std, min, max, length, episodes and, where the environment says
    which return is one, success (the share of episodes). The old logger wrote an
    evaluation into the row of the next episode, and lost it at the end of a run.
    """

    columns: tuple[str, ...] = param(
        default=COLUMNS, check=_known_once, doc="names of an event's data, in the order of the columns"
    )

    def open(self, folder: Path, info: RunInfo, mark: Any = None) -> TableSink:
        """Start `folder`/progress.csv anew, or go on from byte `mark`."""
        return TableSink(Appended(folder / NAME, mark), self.columns)


class TableSink:
    """An open progress.csv; a header is written where the file is empty."""

    def __init__(self, file: Appended, columns: tuple[str, ...]) -> None:
        self._file, self._columns = file, columns
        if not file.size:
            self._row((*ALWAYS, *columns))

    def event(self, event: Event) -> None:
        """Append a row for an episode, a report or an evaluation."""
        if event.kind in ROWS:
            self._row(
                (
                    event.kind,
                    event.step,
                    event.episode,
                    event.update,
                    *(event.data.get(name, "") for name in self._columns),
                )
            )

    def mark(self) -> int:
        """The length of the file in bytes, all of it on disk."""
        return self._file.mark()

    def close(self) -> None:
        self._file.close()

    def _row(self, cells: tuple[Any, ...]) -> None:
        line = StringIO()
        csv.writer(line, lineterminator="\n").writerow(cells)
        self._file.append(line.getvalue().encode())
