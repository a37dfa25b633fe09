"""`coach list-plugins`: every installed part, read from manifests; no plugin is imported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import click

from coachcore.cli.completion import kind_names
from coachcore.cli.output import as_json, bare, counted, setting, table, wrapped
from coachcore.registry.entry import Entry, Trouble
from coachcore.registry.registry import current


@click.command("list-plugins")
@click.option("--kind", metavar="KIND", shell_complete=kind_names, help="Only parts of this kind, such as filter.")
@click.option("--long", "long_", is_flag=True, help="Whole summaries, settings and old names.")
@click.option("--json", "json_", is_flag=True, help="Everything, for programs.")
@click.option("--broken", is_flag=True, help="Only what cannot be used, and why.")
def list_plugins(kind: str | None, long_: bool, json_: bool, broken: bool) -> None:
    """List every installed part: kind, name, distribution and summary.

    Nothing is imported; `coach doctor` tries what is listed here.
    """
    registry = current()
    entries = [entry for entry in registry.entries(kind) if not broken or entry.state != "ok"]
    troubles = registry.troubles()
    if json_:
        parts = [_part(entry) for entry in entries]
        click.echo(as_json(parts=parts, troubles=[trouble._asdict() for trouble in troubles]))
        return
    if broken:
        click.echo("\n".join(_broken(entries, troubles)) or "nothing is broken")
        return
    click.echo("\n".join([*_blocks(entries, long_=long_), _counts(entries, troubles)]))
    if troubles:
        dists = sorted({trouble.dist for trouble in troubles})
        click.echo(f"coach: trouble with {', '.join(dists)} - see `coach list-plugins --broken`", err=True)
    for line in sorted({f"{e.dist} {e.version}: {e.problem}" for e in entries if e.state == "ok" and e.problem}):
        click.echo(f"coach: {line}", err=True)


def _blocks(entries: Sequence[Entry], *, long_: bool) -> Iterator[str]:
    """A block of rows a kind, aligned among themselves; narrower so than over all kinds."""
    for _, group in groupby(entries, lambda entry: entry.spec.kind):
        block = list(group)
        rows = [(*row[:3], "") if long_ else row for row in map(_row, block)]
        for entry, line in zip(block, table(rows), strict=True):
            yield line
            if long_:
                yield from _details(entry)
        yield ""


def _row(entry: Entry) -> tuple[str, str, str, str]:
    spec = entry.spec
    told = bare(spec.summary) if entry.state == "ok" else f"[{entry.state}] {entry.problem}"
    return spec.kind, spec.name, f"{entry.dist} {entry.version}".strip(), told


def _details(entry: Entry) -> Iterator[str]:
    told = _row(entry)[-1]
    if told:
        yield wrapped(told, "    ")
    if entry.spec.params is None:
        yield f"    settings not described here; `coach describe {entry.spec.kind}/{entry.spec.name}` asks the part"
    for param in entry.spec.params or ():
        yield wrapped(f"{setting(param)}  {bare(param.doc)}", "    ", "    ")
    if entry.spec.aliases:
        yield wrapped(f"also called {', '.join(entry.spec.aliases)}", "    ", "    ")


def _broken(entries: Sequence[Entry], troubles: Sequence[Trouble]) -> Iterator[str]:
    for entry in entries:
        yield wrapped(f"{entry.id} [{entry.state}] {entry.problem}", "", "    ")
    for trouble in troubles:
        yield wrapped(f"{trouble.dist} {trouble.version}".strip() + f": {trouble.text}", "", "    ")


def _counts(entries: Sequence[Entry], troubles: Sequence[Trouble]) -> str:
    unusable = sum(entry.state != "ok" for entry in entries)
    kinds, dists = len({entry.spec.kind for entry in entries}), len({entry.dist for entry in entries})
    told = f"{counted(len(entries), 'part')} of {counted(kinds, 'kind')} in {counted(dists, 'distribution')}"
    told += f", {unusable} not usable" if unusable else ""
    return told + (f", {counted(len(troubles), 'trouble')} with whole distributions" if troubles else "")


def _part(entry: Entry) -> dict[str, object]:
    head = {"id": entry.id} | {name: getattr(entry, name) for name in ("dist", "version", "state", "problem")}
    params = None if entry.spec.params is None else [param._asdict() for param in entry.spec.params]
    return head | entry.spec._asdict() | {"params": params}
