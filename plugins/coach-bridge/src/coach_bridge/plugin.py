"""The plugin's hooks: one more command. Light to import, for every run asks it who it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coachcore.api import hookimpl


@hookimpl
def coach_commands() -> Mapping[str, Any]:
    """`coach convert`."""
    from coach_bridge.command import convert

    return {"convert": convert}
