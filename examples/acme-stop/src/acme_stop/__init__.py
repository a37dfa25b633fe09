"""Hooks that end a run by the clock or when they are asked to, and the command that asks."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from coachcore.api import BadSetting, Event, RunInfo, StopRun, hookimpl

FILE, VARIABLE = "STOP", "ACME_STOP_AFTER"


class Stopper:
    """Remembers when each run has to end; what asks a run to stop is a file ``STOP`` in its folder."""

    def __init__(self) -> None:
        self._ends: dict[Path | None, float] = {}

    @hookimpl
    def coach_run_start(self, run: RunInfo) -> None:
        """The clock starts here: building networks does not count."""
        given = os.environ.get(VARIABLE, "")
        self._ends[run.folder] = time.monotonic() + _seconds(given) if given else float("inf")

    @hookimpl
    def coach_event(self, run: RunInfo, event: Event) -> None:
        """Stop at an event, be it an episode's end or a report: often enough, and free of charge in between."""
        if time.monotonic() >= self._ends[run.folder]:
            raise StopRun(f"{VARIABLE} = {os.environ[VARIABLE]} seconds are over")
        if run.folder is None or not (run.folder / FILE).exists():
            return
        reason = (run.folder / FILE).read_text(encoding="utf-8").strip()
        (run.folder / FILE).unlink()  # a resumed run goes on
        raise StopRun(reason or "asked to stop")

    @hookimpl
    def coach_commands(self) -> dict[str, Any]:
        """`coach stop`; click and the command are imported only when somebody asks."""
        from acme_stop.command import stop

        return {"stop": stop}


def _seconds(given: str) -> float:
    try:
        return float(given)
    except ValueError:
        raise BadSetting(f"'{given}' is no number of seconds", where=VARIABLE) from None


plugin = Stopper()
