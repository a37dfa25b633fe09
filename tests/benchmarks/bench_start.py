"""Start-up: user and system time of whole commands, each beside what is asked of it.

    python tests/benchmarks/bench_start.py [--rounds 20] [--beside FOLDER]

The environment's own plugins are joined by made-up distributions with 60 parts
of five settings each, so that there are 120 and more. Commands run in turns,
each in a process of its own, over copies of the core: one with byte-code, as
an installed package has it, and one whose own sources have none (the packages
around it have). `--beside` times another checkout too, in the same turns.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from shutil import copytree, ignore_patterns, rmtree
from typing import NamedTuple

from coachcore.registry.manifest import render
from coachcore.specs import ComponentSpec, ParamSpec
from coachcore.testing.made_up import made_up

COACH = ["-m", "coachcore"]
GOOD = "cartpole-dqn"
WRONG = "\n".join(f"settign_{number} = {number}" for number in range(20))


class Row(NamedTuple):
    """A command, and the seconds it may take; 0 where nothing is asked."""

    arguments: list[str]
    limit: float = 0.0
    compiled: bool = True
    code: int = 0  # what it exits with


def rows(wrong: Path) -> dict[str, Row]:
    """What is timed; `wrong` is a preset with 20 errors."""
    long = [*COACH, "list-plugins", "--long"]
    return {
        "python -c pass": Row(["-c", "pass"]),
        "import coachcore": Row(["-c", "import coachcore"], 0.06),
        "coach --help": Row([*COACH, "--help"]),
        "coach list-plugins": Row([*COACH, "list-plugins"], 0.10),
        "coach list-plugins --long": Row(long, 0.10),
        "coach list-plugins --long, own sources not compiled": Row(long, 0.15, compiled=False),
        f"coach check {GOOD}": Row([*COACH, "check", GOOD], 0.12),
        "coach check, 20 errors": Row([*COACH, "check", str(wrong)], 0.12, code=2),
    }


def many_parts(folder: Path) -> None:
    """Six distributions with ten parts of five settings each."""
    for one in range(6):
        dist = f"made-up-{one}"
        names = [f"part-{one}-{number}" for number in range(10)]
        specs = [_spec(name, f"made_up_{one}:Part{number}") for number, name in enumerate(names)]
        points = {spec.name: spec.object for spec in specs}
        made_up(folder, dist, points=points, code="raise RuntimeError('imported')", manifest=render(dist, specs))


def _spec(name: str, place: str) -> ComponentSpec:
    params = (
        ParamSpec("rate", "float", default=0.5, doc="share of the new value in the running mean", gt=0, le=1),
        ParamSpec("size", "int", required=True, doc="how many values are kept, of the latest", ge=1),
        ParamSpec(
            "edges", "float | float[]", default=[-1.0, 1.0], doc="smallest and largest value that is let through"
        ),
        ParamSpec("scale", "schedule", default=1.0, doc="what values are multiplied by, which may change over time"),
        ParamSpec("way", "str", default="mean", choices=("mean", "sum", "largest"), doc="how several become one"),
    )
    summary = "Keep a running summary of what passes, and pass on what is not far from it."
    return ComponentSpec("filter", name, place, summary, (name.title(),), facts={"acts_on": "reward"}, params=params)


class Copy:
    """A copy of a checkout's core, with and without byte-code beside it."""

    def __init__(self, checkout: Path, folder: Path, parts: Path) -> None:
        source = folder / "source"
        copytree(checkout / "coachcore", source / "coachcore", ignore=ignore_patterns("__pycache__"))
        base = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "COACH", "COLUMNS"))}
        base |= {"PYTHONPATH": os.pathsep.join([str(source), str(parts)]), "COACH_CONFIG": ""}
        self.compiled = base | {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}
        self.bare = base | {"PYTHONPYCACHEPREFIX": str(folder / "bare")}
        self.own = folder / "bare" / source.relative_to("/")

    def warm(self, table: dict[str, Row]) -> None:
        """Write all byte-code, take the core's own out of one of the two, and let no more be written."""
        for row in table.values():
            for environment in (self.compiled, self.bare):
                self.seconds(row, environment)
        rmtree(self.own)
        self.bare["PYTHONDONTWRITEBYTECODE"] = "1"

    def seconds(self, row: Row, environment: dict[str, str] | None = None) -> float:
        """User and system time of one process."""
        chosen = environment or (self.compiled if row.compiled else self.bare)
        before = getrusage(RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-P", *row.arguments], env=chosen, check=False, capture_output=True, text=True
        )
        after = getrusage(RUSAGE_CHILDREN)
        assert done.returncode == row.code, done.stderr
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def counted(copy: Copy) -> str:
    """The last line of the listing, which counts the parts."""
    arguments = [sys.executable, "-P", *COACH, "list-plugins"]
    return subprocess.run(arguments, env=copy.compiled, check=True, capture_output=True, text=True).stdout.split("\n")[
        -2
    ]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=20)
    options.add_argument("--beside", type=Path)
    given = options.parse_args()
    checkouts = {"": Path(__file__).resolve().parents[2]} | ({"beside: ": given.beside} if given.beside else {})
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        many_parts(folder / "parts")
        (folder / "wrong.toml").write_text(f"coach = 1\n{WRONG}\nextends = '{GOOD}'\n", encoding="utf-8")
        table = rows(folder / "wrong.toml")
        copies = {
            name: Copy(path, folder / f"copy{at}", folder / "parts")
            for at, (name, path) in enumerate(checkouts.items())
        }
        for copy in copies.values():
            copy.warm(table)
        told = counted(copies[""])
        took: dict[tuple[str, str], list[float]] = {}
        for _ in range(given.rounds):
            for name, row in table.items():
                for whose, copy in copies.items():
                    took.setdefault((name, whose), []).append(copy.seconds(row))
    print(
        f"{told}; processor seconds of {given.rounds} runs each\n\n"
        "| command | median | least | asked |\n|---|---|---|---|"
    )
    for (name, whose), times in took.items():
        asked = f"<= {table[name].limit:.2f}" if table[name].limit else ""
        print(f"| {whose}{name} | {statistics.median(times):.3f} | {min(times):.3f} | {asked} |")


if __name__ == "__main__":
    main()
