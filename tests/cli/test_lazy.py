"""A group that imports a command when it is called."""

from __future__ import annotations

import click
import pytest

from coachcore.cli.lazy import Lazy, LazyGroup
from coachcore.cli.main import COMMANDS, coach

TABLE = {"shout": Lazy("gone_for_good:shout", "Never imported."), "dump": Lazy("json:dumps", "A function of ours.")}


def test_the_group_completes_its_commands_without_importing_them() -> None:
    context = click.Context(coach)
    assert [item.value for item in coach.shell_complete(context, "li")] == ["list-plugins"]
    assert [item.value for item in coach.shell_complete(context, "--ver")] == ["--version"]
    assert coach.list_commands(context) == list(COMMANDS)
    assert LazyGroup("empty", table={}).get_command(context, "anything") is None


def test_only_the_command_asked_for_is_imported() -> None:
    group = LazyGroup("group", table=TABLE)
    context = click.Context(group)
    assert group.get_command(context, "dump") is __import__("json").dumps  # type: ignore[comparison-overlap]
    with pytest.raises(ModuleNotFoundError, match="gone_for_good"):
        group.get_command(context, "shout")


def test_help_lists_without_importing() -> None:
    text = LazyGroup("group", table=TABLE).get_help(click.Context(LazyGroup("group", table=TABLE)))
    assert "shout  Never imported." in text


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    group = LazyGroup("group", table=TABLE)
    with pytest.raises(click.UsageError, match="no command is called 'shuot' - did you mean 'shout'"):
        group.resolve_command(click.Context(group), ["shuot"])
