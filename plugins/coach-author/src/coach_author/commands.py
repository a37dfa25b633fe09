"""The plugin itself: adds commands to `coach plugin`, imported only when one of them is called."""

from __future__ import annotations

from typing import Any

from coachcore.api import hookimpl


@hookimpl
def coach_commands() -> dict[str, Any]:
    """``coach plugin sync``, ``new``, ``validate`` and ``test``."""
    from coach_author import line

    return {
        "plugin sync": line.sync,
        "plugin new": line.new,
        "plugin validate": line.validate,
        "plugin test": line.test,
    }
