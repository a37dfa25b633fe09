"""Commands for people who write presets: `coach config`, `init`, `fill`, `schema` and `upgrade`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coachcore.registry.hookspecs import hookimpl


@hookimpl
def coach_commands() -> Mapping[str, Any]:
    """The five commands; what they work with is imported when one is called."""
    from coach_preset_tools.config import config
    from coach_preset_tools.fill import fill
    from coach_preset_tools.init import init
    from coach_preset_tools.schema import schema
    from coach_preset_tools.upgrade import upgrade

    return {"config": config, "init": init, "fill": fill, "schema": schema, "upgrade": upgrade}
