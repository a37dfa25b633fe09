"""Start-up: processor time of whole commands, in turns with a bare interpreter and with importing TensorFlow.

    python tests/benchmarks/bench_start.py [--rounds 9]

`coach list-plugins` with every plugin and TensorFlow installed shall take 0.15 s
at most (aim 0.10). Byte-code is written first, as an installed package has it;
the last row is a checkout whose own sources have none.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from resource import RUSAGE_CHILDREN, getrusage

COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "coach list-plugins": ["-m", "coachcore", "list-plugins"],
    "coach list-plugins --long": ["-m", "coachcore", "list-plugins", "--long"],
    "coach --help": ["-m", "coachcore", "--help"],
    "coach check cartpole-dqn": ["-m", "coachcore", "check", "cartpole-dqn"],
    "import tensorflow": ["-c", "import tensorflow"],
}


def seconds(arguments: list[str], environment: dict[str, str]) -> float:
    """User and system time of one process."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], env=environment, check=True, capture_output=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=9)
    rounds = options.parse_args().rounds
    base = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as cache:
        compiled = base | {"PYTHONPYCACHEPREFIX": cache, "TF_CPP_MIN_LOG_LEVEL": "3"}
        bare = base | {"PYTHONDONTWRITEBYTECODE": "1"}
        rows = {name: (arguments, compiled) for name, arguments in COMMANDS.items()}
        rows["coach list-plugins, own sources not compiled"] = (COMMANDS["coach list-plugins"], bare)
        for arguments, environment in rows.values():
            seconds(arguments, environment)
        took: dict[str, list[float]] = {name: [] for name in rows}
        for _ in range(rounds):
            for name, (arguments, environment) in rows.items():
                took[name].append(seconds(arguments, environment))
    print("| command | processor s, median | least |\n|---|---|---|")
    for name, times in took.items():
        print(f"| {name} | {statistics.median(times):.3f} | {min(times):.3f} |")


if __name__ == "__main__":
    main()
