"""Coach against Stable-Baselines3, sb3-contrib and SBX: same network, batch size, update ratio and environment.

    python tests/benchmarks/versus_sb3.py [--cases ppo,dqn-1] [--rounds 5] [--against sb3,sbx] [--scale 1.0]
                                             [--engine tensorflow] [--list]

The others live in virtual environments of their own, made on first use in the
user's cache folder (needs uv; a CPU build of torch is enough). The sides run in
turn, a process each with the case's number of cores, and each round begins with
another. Rates are of the steady state: compiling and the heat-up are left out.

Prints medians, the median of the ratios round by round with their range, and
microseconds of train call an update beside the floor: what the matrix products
of an update take at the rate measured in the same run. The range over n rounds
holds the true median with a chance of 1 - 2**(1 - n): 94 % for 5.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from statistics import median
from typing import Any

from peers import coach_side, floor, homes, other_side
from peers.cases import CASES, Case, rival

HEAD = (
    "| case | against | measured in | Coach | other | ratio (range) | asked | us an update: Coach, other | floor us |\n"
    "|---|---|---|---|---|---|---|---|---|"
)
Round = dict[str, dict[str, Any]]  # side -> what its child printed


def played(case: Case, side: str, seed: int, engine: str) -> dict[str, Any]:
    """What a child does: one side of a case, or the measurement of the floor."""
    if side == "floor":
        return {"operations": floor.measured()}
    if side in ("coach", "dqn"):
        return coach_side.run(case if side == "coach" else rival(case), seed, engine)
    return other_side.run(case, seed, side)


def child(case: Case, side: str, seed: int, given: argparse.Namespace) -> dict[str, Any]:
    command = [str(homes.python_of(side)), __file__, "--child", side, case.name, str(seed)]
    command += ["--scale", str(given.scale), "--engine", given.engine]
    environment = homes.surroundings(side, case.cores)
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        sys.exit(f"{case.name}: {side} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def rounds_of(case: Case, sides: list[str], given: argparse.Namespace) -> list[Round]:
    """Every side once a round, the floor among them; each round begins with another side."""
    everyone = ["coach", *sides, "floor"]
    took = []
    for seed in range(given.rounds):
        first = seed % len(everyone)
        order = everyone[first:] + everyone[:first]
        took.append({side: child(case, side, seed, given) for side in order})
    return took


def row(case: Case, side: str, took: list[Round]) -> str:
    """One line of the table."""

    def middle(of: str, what: str) -> float:
        return median(each[of][what] for each in took)

    compared = "us" if case.at_most else "rate"
    ratios = [each["coach"][compared] / each[side][compared] for each in took]
    least = 1e6 * case.operations / middle("floor", "operations")
    wanted = case.asked[side]
    asked = "-" if wanted is None else f"{'<=' if case.at_most else '>='} {wanted:g}"
    cells = (
        case.name,
        side,
        case.measure,
        f"{middle('coach', 'rate'):,.0f}",
        f"{middle(side, 'rate'):,.0f}",
        f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
        asked,
        f"{middle('coach', 'us'):,.0f}, {middle(side, 'us'):,.0f}",
        f"{least:,.0f}",
    )
    return f"| {' | '.join(cells)} |"


def notes(case: Case, took: list[Round]) -> list[str]:
    """What does not go into the table: the rate behind the floor, and bytes a transition."""
    rates = [each["floor"]["operations"] / 1e9 for each in took]
    rate = f"sgemm {median(rates):.0f} GFLOP/s with {case.cores} thread{'s' * (case.cores > 1)}"
    said = [f"{case.name}: {case.about}; {case.operations / 1e6:.1f} MFLOP an update, {rate}"]
    held = {side: each["bytes"] for side, each in took[0].items() if "bytes" in each}
    return said + [f"{case.name}: {side} holds {size:,.0f} bytes a transition" for side, size in held.items()]


def versions(took: list[Round]) -> dict[str, str]:
    """By side, what it ran on."""
    return {
        side: ", ".join(f"{name} {number}" for name, number in each["versions"].items())
        for side, each in took[0].items()
        if "versions" in each
    }


def chosen(parser: argparse.ArgumentParser, names: str) -> list[Case]:
    wanted = [name.strip() for name in names.split(",")] if names else list(CASES)
    for name in wanted:
        if name not in CASES:
            parser.error(f"there is no case '{name}'; cases: {', '.join(CASES)}")
    return [CASES[name] for name in wanted]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="", help="names with commas between; all of them by default")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--against", default="dqn,sb3,sbx", help="leave out sides that are not wanted")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the measured steps, to try it out")
    parser.add_argument("--engine", default="tensorflow", choices=("tensorflow", "jax"), help="what Coach runs on")
    parser.add_argument("--list", action="store_true", help="name the cases and stop")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        side, name, seed = asked.child
        homes.pin(CASES[name].cores)
        print(json.dumps(played(CASES[name].scaled(asked.scale), side, int(seed), asked.engine)))
        return
    if asked.list:
        print("\n".join(f"{case.name:12s} {case.about}; against {', '.join(case.asked)}" for case in CASES.values()))
        return
    print(HEAD, flush=True)
    said, ran = [], {}
    for case in chosen(parser, asked.cases):
        sides = [side for side in case.asked if side in asked.against.split(",")]
        took = rounds_of(case, sides, asked)
        print("\n".join(row(case, side, took) for side in sides), flush=True)
        said += notes(case, took)
        ran |= versions(took)
    print("\n" + "\n".join(f"- {line}" for line in [*said, *(f"{side}: {what}" for side, what in ran.items())]))


if __name__ == "__main__":
    main()
