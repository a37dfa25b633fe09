"""How many wrong parts the conformance suites notice, kind by kind: ``python tests/testing/mutants/score.py``."""

from __future__ import annotations

import sys
import time
import warnings
from collections import defaultdict

from seeded import Seed, broken, seeds

LEAST = 0.95
LINE = "{:<14} {:>7} {:>7}   {}"


def main() -> int:
    """Print the table; 0 where at least `LEAST` of all are noticed."""
    started, tried, missed = time.perf_counter(), defaultdict(list), defaultdict(list)
    for seed in seeds():
        tried[seed.kind].append(seed)
        if not noticed(seed):
            missed[seed.kind].append(seed)
    print(LINE.format("kind", "mutants", "caught", "survivors"))
    for kind, all_of_it in tried.items():
        names = "; ".join(f"{seed.part} {seed.name}" for seed in missed[kind]) or "-"
        print(LINE.format(kind, len(all_of_it), len(all_of_it) - len(missed[kind]), names))
    count, lost = (sum(map(len, found.values())) for found in (tried, missed))
    print(LINE.format("all", count, count - lost, f"{1 - lost / count:.1%} caught"))
    print(f"{time.perf_counter() - started:.0f} s")
    return 0 if 1 - lost / count >= LEAST else 1


def noticed(seed: Seed) -> bool:
    """Whether the law that is named, or any law where none is, fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(broken(seed))


if __name__ == "__main__":
    sys.exit(main())
