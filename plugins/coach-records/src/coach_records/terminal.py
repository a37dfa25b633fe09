"""The recorder `terminal`: a live line where somebody watches, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, TextIO

import attrs

from coach_records.progress import Progress, evaluation, restart
from coachcore.api import Event, RunInfo, component, param

WIDTH = 80
BAR = 10
REDRAW_SECONDS = 0.1


@component("recorder", "terminal", needs=("rich",))
@attrs.frozen(kw_only=True)
class Terminal:
    """Progress on standard error, so that standard output stays free for results.

    On a terminal: one line with a bar, the mean return of the last 20 episodes,
    exploration, loss, steps a second and the time left; evaluations and restarts
    of simulators are printed above it. Elsewhere (a file, a pipe, a notebook, a
    log of a cluster): plain lines of at most 80 columns, at most one every `every`
    seconds, besides start, evaluations, restarts and end. `NO_COLOR` and
    ``TERM=dumb`` are honoured. Where nobody can read any more (a closed pipe) it
    falls silent; the run goes on.
    """

    style: str = param(
        default="auto",
        choices=("auto", "plain", "live"),
        doc="live line, plain lines, or what standard error is fit for",
    )
    every: float = param(default=5.0, ge=0, unit="s", doc="shortest time between two plain lines")

    def open(self, folder: Path, info: RunInfo, mark: Any = None) -> PlainSink | LiveSink:
        """Say what begins; there is nothing to go on from."""
        if self.style == "live" or (self.style == "auto" and _watched(sys.stderr)):
            from rich.console import Console

            return LiveSink(info, Console(stderr=True))
        return PlainSink(info, sys.stderr, every=self.every)


def _watched(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


class PlainSink:
    """Lines of text, oldest first."""

    def __init__(
        self, info: RunInfo, stream: TextIO | None, *, every: float, now: Callable[[], float] = monotonic
    ) -> None:
        self._stream, self._every, self._now = stream, every, now
        self._progress = Progress(info, now())
        self._said = now()
        self._say(self._progress.start())

    def event(self, event: Event) -> None:
        """A line for an evaluation, a restart and the end; for anything else when the last is old enough."""
        now = self._now()
        self._progress.note(event, now)
        if event.kind == "evaluation":
            self._say(evaluation(event, WIDTH))
        elif event.kind == "simulator":
            self._say(restart(event, WIDTH))
        elif event.kind == "run-end":
            self._say(self._progress.end(event, now, WIDTH))
        elif event.kind in ("episode", "report") and now - self._said >= self._every:
            self._said = now
            phase = self._progress.phase
            self._say(f"{phase} {self._progress.status(WIDTH - len(phase) - 1)}")

    def mark(self) -> None:
        """Nothing to remember: a terminal keeps no record."""

    def close(self) -> None:
        """Nothing to let go of."""

    def _say(self, line: str) -> None:
        if self._stream is not None:
            with suppress(OSError, ValueError):  # nobody reads any more: not this run's trouble
                self._stream.write(line + "\n")
                self._stream.flush()


class LiveSink:
    """One line that changes in place, drawn between events: no thread, at most ten times a second."""

    def __init__(self, info: RunInfo, console: Any, *, now: Callable[[], float] = monotonic) -> None:
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bars

        self._console, self._now = console, now
        self._progress = Progress(info, now())
        self._say(self._progress.start())
        phase, status = (
            TextColumn("{task.description}", style="cyan", markup=False),
            TextColumn("{task.fields[status]}", markup=False),
        )
        self._bars = Bars(phase, BarColumn(bar_width=BAR), status, console=console, auto_refresh=False)
        self._task = self._bars.add_task(self._progress.phase, total=info.total, status="")
        self._bars.start()
        self._drawn, self._over = now(), False

    def event(self, event: Event) -> None:
        """Print evaluations, restarts and the end above the line; redraw it now and then."""
        now = self._now()
        self._progress.note(event, now)
        if event.kind == "evaluation":
            self._say(evaluation(event, self._console.width), "green" if event.data.get("best") else "")
        if event.kind == "simulator":
            self._say(restart(event, self._console.width), "yellow")
        if event.kind == "run-end":
            self._draw()
            self.close()
            self._say(self._progress.end(event, now, self._console.width))
        elif now - self._drawn >= REDRAW_SECONDS or event.kind == "evaluation":
            self._drawn = now
            self._draw()

    def mark(self) -> None:
        """Nothing to remember: a terminal keeps no record."""

    def close(self) -> None:
        """Leave the last line as it is and give the cursor back; closing twice is no error."""
        if not self._over:
            self._over = True
            with suppress(OSError, ValueError):
                self._bars.stop()

    def _draw(self) -> None:
        phase = self._progress.phase
        status = self._progress.status(self._console.width - len(phase) - BAR - 2)
        self._bars.update(self._task, description=phase, completed=self._progress.done, status=status)
        with suppress(OSError, ValueError):
            self._bars.refresh()

    def _say(self, line: str, style: str = "") -> None:
        from rich.text import Text

        with suppress(OSError, ValueError):
            self._console.print(Text(line, style))
