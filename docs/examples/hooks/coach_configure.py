from collections.abc import Mapping
from typing import Any

from coachcore.api import CoachError, hookimpl


@hookimpl
def coach_configure(config: Mapping[str, Any]) -> None:
    """Refuse a run that nobody could tell apart from others."""
    if not config.get("summary"):
        raise CoachError('our runs have a summary - add summary = "..." at the top of the preset')
