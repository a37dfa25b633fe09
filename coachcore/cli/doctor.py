"""`coach doctor`: every plugin tried in a process of its own, and the surroundings looked at."""

from __future__ import annotations

import platform
from collections.abc import Iterator

import click

from coachcore import __version__
from coachcore.cli.output import counted, for_good, wrapped
from coachcore.errors import BrokenPlugin
from coachcore.registry.doctor import Report, examine
from coachcore.registry.entry import Trouble
from coachcore.registry.gather import answers
from coachcore.registry.isolate import isolated
from coachcore.registry.registry import Registry, current
from coachcore.specs import API
from coachcore.threads import thread_settings

PACKAGES = ("numpy", "tensorflow", "keras", "gymnasium")


@click.command()
@click.option(
    "--limit", default=60.0, show_default=True, metavar="SECONDS", help="Time a distribution may take to import."
)
@click.pass_context
def doctor(context: click.Context, limit: float) -> None:
    """Try every plugin in a process of its own, and say what is wrong.

    Exits with 1 where something is broken. Remarks (a plugin that prints or
    changes the environment when imported) are only told.
    """
    for line in _surroundings():
        click.echo(line)
    registry = current()
    reports = []
    for report in examine(registry, limit=limit):
        reports.append(report)
        click.echo("\n".join(_told(report)))
    faults = [*_checks(registry, frozenset(report.dist for report in reports if report.faults))]
    for fault in faults:
        click.echo(wrapped(fault, "", "    "))
    broken = sum(bool(report.faults) for report in reports)
    summary = f"{counted(len(reports), 'distribution')} tried, {broken or 'none'} broken"
    click.echo(summary)
    context.exit(1 if broken or faults else 0)


def _surroundings() -> Iterator[str]:
    python, system = platform.python_version(), platform.platform(terse=True)
    yield f"coach {__version__} (API {API[0]}.{API[1]}), Python {python}, {system}"
    yield ", ".join(f"{name} {_version(name)}" for name in PACKAGES)
    yield "threads: " + ", ".join(f"{name}={value or 'unset'}" for name, value in thread_settings().items())


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    # TensorFlow goes by several names, one a build.
    for known in (name, f"{name}-cpu", f"{name}-gpu"):
        try:
            return version(known)
        except PackageNotFoundError:
            continue
    return "not installed"


def _told(report: Report) -> Iterator[str]:
    yield f"{'BROKEN' if report.faults else 'ok':6}  {report.dist} {report.version}"
    for line in report.faults:
        yield wrapped(line, " " * 8, "  ")
    if report.faults:
        out = f"mend, upgrade or uninstall it, or leave it out: coach --block {report.dist} before a command"
        yield wrapped(f"way out: {out}, or for good {for_good('block', report.dist)}", " " * 8, "  ")
    for line in report.remarks:
        yield wrapped(f"remark: {line}", " " * 8, "  ")


def _checks(registry: Registry, broken: frozenset[str]) -> Iterator[str]:
    """What plugins' own checks find; those of broken distributions are not asked."""
    troubles: list[Trouble] = []
    for owner, checks in answers(registry.hooks(without=broken).coach_doctor_checks, troubles, dict):
        for name, check in checks.items():
            try:
                with isolated(owner, f"checked ({name})"):
                    wrong = check()
            except BrokenPlugin as error:
                yield str(error)
                continue
            if wrong:
                yield f"{owner}: {name}: {wrong}"
    yield from (f"{trouble.dist}: {trouble.text}" for trouble in troubles)
