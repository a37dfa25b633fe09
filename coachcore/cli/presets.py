"""`coach presets`: the presets that installed plugins bring."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import click

from coachcore.cli.output import as_json, counted, table
from coachcore.registry.registry import current
from coachcore.registry.shelf import Shelf


@click.command()
@click.option("--json", "json_", is_flag=True, help="The same with paths, for programs.")
def presets(json_: bool) -> None:
    """List the installed presets: name, agent, environment and what is proven."""
    shelf = current().presets()
    if json_:
        listed = [{"name": name, "paths": [str(path) for path in shelf.all(name)]} for name in shelf]
        click.echo(as_json(presets=listed))
        return
    click.echo("\n".join([*table(_row(shelf, name) for name in shelf), counted(len(shelf), "preset")]))


def _row(shelf: Shelf, name: str) -> tuple[str, str, str, str]:
    paths = shelf.all(name)
    if len(paths) > 1:
        return name, "", "", f"[clash] {', '.join(map(str, paths))}"
    data = _data(paths[0])
    if data is None:
        return name, "", "", f"[broken] not TOML - see `coach check {name}`"
    environment = _under(data, "environment")
    return (
        name,
        str(_under(data, "agent").get("use", "")),
        str(environment.get("id") or environment.get("use", "")),
        _proven(data),
    )


def _data(path: Path) -> dict[str, Any] | None:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return None


def _under(data: dict[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def _proven(data: dict[str, Any]) -> str:
    goal = _under(data, "validation")
    if goal:
        return f"reaches {goal.get('reward')} within {str(goal.get('within', '')).replace('_', ',')}"
    return f"as {data['extends']}, with changes" if "extends" in data else ""
