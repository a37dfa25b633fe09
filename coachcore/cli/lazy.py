"""A click group whose commands are imported when called, and whose help imports none of them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

import click

from coachcore.errors import did_you_mean


class Lazy(NamedTuple):
    """Where a command lies (``"package.module:function"``) and its line in the help."""

    target: str
    help: str


class OpenGroup(click.Group):
    """A group that reads its commands from a table, to which plugins add: `coach_commands` calls theirs by their
    names after `before`. `table` maps name -> `Lazy`, `elsewhere` the name of such a command -> who offers it."""

    def __init__(
        self,
        *args: Any,
        table: Mapping[str, Lazy],
        before: str = "",
        elsewhere: Mapping[str, str] = MappingProxyType({}),
        **settings: Any,
    ) -> None:
        super().__init__(*args, **settings)
        self.table, self.before, self.elsewhere = table, before, elsewhere

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command, imported now; None for a name that neither the table nor a plugin knows."""
        if cmd_name not in self.table:
            dist = self.elsewhere.get(cmd_name)
            found = self.offered(dist).get(cmd_name) if dist else None  # nobody else has to be imported for it
            return found or self.offered().get(cmd_name)
        module, _, name = self.table[cmd_name].target.partition(":")
        return getattr(import_module(module), name)  # type: ignore[no-any-return]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command meant by the first argument; a usage error says which there are, or who would offer it."""
        name, command = args[0], self.get_command(ctx, args[0])
        if command is None and not name.startswith("-") and not ctx.resilient_parsing:
            dist = self.elsewhere.get(name)
            hint = f"install {dist}" if dist else did_you_mean(name, [*self.table, *self.offered()], listed=20)
            ctx.fail(f"no command is called '{name}' - {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The commands with their lines from the table, for the help."""
        if self.table:
            with formatter.section("Commands"):
                formatter.write_dl([(name, lazy.help) for name, lazy in self.table.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Options and names that begin so."""
        from click.shell_completion import CompletionItem

        options = click.Command.shell_complete(self, ctx, incomplete)
        words = {name: lazy.help for name, lazy in self.table.items()} | dict.fromkeys(self.offered(), "of a plugin")
        return options + [
            CompletionItem(name, help=text) for name, text in words.items() if name.startswith(incomplete)
        ]

    def offered(self, only: str = "") -> dict[str, click.Command]:
        """What plugins (those of the distribution `only`) answer to `coach_commands`.

        One that cannot be asked is passed over, of two the first counts.
        """
        from coachcore.registry import registry
        from coachcore.registry.gather import answers

        known = registry.current()
        hooks = known.hooks(without=[dist.name for dist in known.dists if only not in ("", dist.name)])
        found: dict[str, click.Command] = {}
        for _, offered in answers(hooks.coach_commands, [], dict):
            for name, command in offered.items():
                if isinstance(command, click.Command) and name.startswith(self.before):
                    found.setdefault(name.removeprefix(self.before), command)
        return {name: command for name, command in found.items() if " " not in name}
