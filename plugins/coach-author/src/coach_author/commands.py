"""The plugin itself: adds commands to `coach plugin`, imported only when one of them is called."""

from __future__ import annotations

from typing import Any

from coachcore.api import hookimpl


@hookimpl
def coach_commands() -> dict[str, Any]:
    """``coach plugin new``, ``validate`` and ``test``."""
    from coach_author import line

    return {"plugin new": line.new, "plugin validate": line.validate, "plugin test": line.test}
