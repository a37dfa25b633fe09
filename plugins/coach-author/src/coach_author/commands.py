"""The plugin itself: adds `coach doctor` and commands to `coach plugin`, imported only when one of them is called."""

from __future__ import annotations

from typing import Any

from coachcore.api import hookimpl


@hookimpl
def coach_commands() -> dict[str, Any]:
    """``coach doctor``, ``coach plugin sync``, ``new``, ``validate`` and ``test``."""
    from coach_author import doctor, line

    return {
        "doctor": doctor.doctor,
        "plugin sync": line.sync,
        "plugin new": line.new,
        "plugin validate": line.validate,
        "plugin test": line.test,
    }
