"""The entry point of `coach`, also as `python -m coachcore`."""

from __future__ import annotations

import sys


def main() -> None:
    """Import the command line and run it; Ctrl-C during the imports is as quiet as later."""
    try:
        from coachcore.cli.main import main as coach

        coach()
    except KeyboardInterrupt:
        sys.stderr.write("coach: stopped\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
