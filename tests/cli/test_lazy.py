"""A group that imports a command when it is called."""

from __future__ import annotations

from types import SimpleNamespace

import click
import pytest

from coachcore.cli.lazy import Lazy, OpenGroup
from coachcore.cli.main import COMMANDS, coach
from coachcore.registry.registry import Registry
from coachcore.testing.made_up import made_up

TABLE = {"shout": Lazy("gone_for_good:shout", "Never imported."), "dump": Lazy("json:dumps", "A function of ours.")}


def test_the_group_completes_its_commands_without_importing_them() -> None:
    context = click.Context(coach)
    assert [item.value for item in coach.shell_complete(context, "li")] == ["list-plugins"]
    assert [item.value for item in coach.shell_complete(context, "--ver")] == ["--version"]
    assert coach.list_commands(context) == list(COMMANDS)
    assert OpenGroup("empty", table={}).get_command(context, "anything") is None


def test_only_the_command_asked_for_is_imported() -> None:
    group = OpenGroup("group", table=TABLE)
    context = click.Context(group)
    assert group.get_command(context, "dump") is __import__("json").dumps  # type: ignore[comparison-overlap]
    with pytest.raises(ModuleNotFoundError, match="gone_for_good"):
        group.get_command(context, "shout")


def test_help_lists_without_importing() -> None:
    text = OpenGroup("group", table=TABLE).get_help(click.Context(OpenGroup("group", table=TABLE)))
    assert "shout  Never imported." in text


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    group = OpenGroup("group", table=TABLE)
    with pytest.raises(click.UsageError, match="no command is called 'shuot' - did you mean 'shout'"):
        group.resolve_command(click.Context(group), ["shuot"])


def test_the_commands_of_plugins_are_completed_and_suggested(monkeypatch: pytest.MonkeyPatch) -> None:
    class Answers:
        """Two plugins, the second of which also has what the first has."""

        name = "coach_commands"

        def get_hookimpls(self):
            first = {"grow": click.Command("grow"), "plugin grow": click.Command("plugin-grow"), "odd": "no command"}
            second = {"grow": click.Command("late"), "shrink": click.Command("shrink")}
            return [
                SimpleNamespace(plugin_name=name, function=lambda offered=offered: offered)
                for name, offered in {"first": first, "second": second}.items()
            ]

    registry = SimpleNamespace(dists=(), hooks=lambda without: SimpleNamespace(coach_commands=Answers()))
    monkeypatch.setattr("coachcore.registry.registry.current", lambda: registry)
    top, inner = OpenGroup("top", table={}), OpenGroup("inner", table={}, before="plugin ")
    assert ([*top.offered()], [*inner.offered()]) == (["grow", "shrink"], ["grow"])
    context = click.Context(top)
    assert top.get_command(context, "grow").name == "grow"
    assert inner.get_command(context, "grow").name == "plugin-grow"
    assert top.get_command(context, "odd") is None
    assert [(item.value, item.help) for item in top.shell_complete(context, "sh")] == [("shrink", "of a plugin")]
    with pytest.raises(click.UsageError, match="no command is called 'shrnk' - did you mean 'shrink'"):
        top.resolve_command(context, ["shrnk"])


def test_an_empty_group_says_who_offers_its_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = SimpleNamespace(coach_commands=SimpleNamespace(name="coach_commands", get_hookimpls=list))
    registry = SimpleNamespace(dists=(), hooks=lambda without: nobody)
    monkeypatch.setattr("coachcore.registry.registry.current", lambda: registry)
    group = OpenGroup("plugin", table={}, elsewhere={"sync": "coach-author"})
    context = click.Context(group)
    assert group.get_command(context, "sync") is None
    assert "Commands:" not in group.get_help(context)
    with pytest.raises(click.UsageError, match="no command is called 'sync' - install coach-author"):
        group.resolve_command(context, ["sync"])


def test_for_a_command_of_a_known_distribution_no_other_plugin_is_imported(tmp_path, monkeypatch) -> None:
    code = "import click\nfrom coachcore.registry.hookspecs import hookimpl\n@hookimpl\ndef coach_commands():\n"
    code += "    return {'grow': click.Command('grow')}\n"
    for name, text in (("lazy-kind", code), ("lazy-trap", "raise SystemExit(3)")):
        module = name.replace("-", "_")
        made_up(tmp_path, name, points=f"[coach.plugins]\n{name} = {module}\n", code=text)
    monkeypatch.syspath_prepend(tmp_path)
    registry = Registry([str(tmp_path)])
    monkeypatch.setattr("coachcore.registry.registry.current", lambda: registry)
    group = OpenGroup("group", table={}, elsewhere={"grow": "lazy-kind"})
    assert group.get_command(click.Context(group), "grow").name == "grow"
    assert registry.troubles() == ()
    assert [*group.offered()] == ["grow"]
    assert [trouble.dist for trouble in registry.troubles()] == ["lazy-trap"]
