"""What the shell can complete: names of presets and parts, read from manifests."""

from __future__ import annotations

from collections.abc import Mapping

import click
from click.shell_completion import BashComplete, CompletionItem, FishComplete, ShellComplete, ZshComplete

from coachcore.specs import KINDS

SHELLS: Mapping[str, type[ShellComplete]] = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


def preset_names(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Installed presets, and files (a preset may be a path)."""
    from coachcore.registry.registry import current

    names = [CompletionItem(name) for name in current().presets() if name.startswith(incomplete)]
    return [*names, CompletionItem(incomplete, type="file")]


def part_names(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Parts as ``kind/name``."""
    from coachcore.registry.registry import current

    parts = {f"{entry.spec.kind}/{entry.spec.name}": entry.spec.summary for entry in current().entries()}
    return [
        CompletionItem(name, help=summary) for name, summary in sorted(parts.items()) if name.startswith(incomplete)
    ]


def kind_names(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Kinds of parts."""
    return [CompletionItem(kind) for kind in sorted(KINDS) if kind.startswith(incomplete)]


@click.command()
@click.argument("shell", type=click.Choice(list(SHELLS)))
def completion(shell: str) -> None:
    """Print the completion script for SHELL.

    \b
    bash:  eval "$(coach completion bash)"       in ~/.bashrc
    zsh:   eval "$(coach completion zsh)"        in ~/.zshrc
    fish:  coach completion fish | source        in ~/.config/fish/config.fish
    """
    from coachcore.cli.main import coach

    click.echo(SHELLS[shell](coach, {}, "coach", "_COACH_COMPLETE").source())
