"""The entry point of `coach`, also as `python -m coachcore`."""

from __future__ import annotations

import gc
import sys

ROOM = 20_000
"""Objects made between two collections of garbage: starting makes tens of thousands, and none of them is garbage."""


def main() -> None:
    """Import the command line and run it; Ctrl-C during the imports is as quiet as later."""
    gc.set_threshold(ROOM, *gc.get_threshold()[1:])
    try:
        from coachcore.cli.main import main as coach

        coach()
    except KeyboardInterrupt:
        sys.stderr.write("coach: stopped\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
