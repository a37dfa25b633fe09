"""`coach plugin`: a group for authors of plugins, whose commands are in coach-author."""

from __future__ import annotations

import click

from coachcore.cli.lazy import OpenGroup

AUTHOR = dict.fromkeys(("sync", "new", "validate", "test"), "coach-author")


@click.group(cls=OpenGroup, before="plugin ", table={}, elsewhere=AUTHOR)
def plugin() -> None:
    """Commands for authors of plugins.

    With coach-author installed: sync, new, validate, test.
    """
