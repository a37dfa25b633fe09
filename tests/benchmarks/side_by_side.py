"""Timing several ways of one thing in turns, so that a busy machine slows all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter


def in_turns(
    ways: Mapping[str, tuple[int, Callable[[], object]]],
    rounds: int,
    *,
    seconds: float = 0.03,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, list[float]]:
    """Seconds a unit by `clock` for each way, once a round; a way is (units in one call, call)."""
    repeats = {}
    for name, (_, call) in ways.items():
        call(), call()
        begun = clock()
        call(), call()
        repeats[name] = max(1, int(seconds / ((clock() - begun) / 2)))
    took: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, (units, call) in ways.items():
            begun = clock()
            for _ in range(repeats[name]):
                call()
            took[name].append((clock() - begun) / repeats[name] / units)
    return took


def table(title: str, took: Mapping[str, list[float]]) -> str:
    """Median and least microseconds a unit, and the median ratio to the first way, round by round."""
    first = next(iter(took.values()))
    lines = [f"\n{title}", f"  {'':32s}{'median us':>12s}{'least us':>12s}{'ratio':>10s}"]
    for name, times in took.items():
        ratio = median(mine / theirs for mine, theirs in zip(times, first, strict=True))
        lines.append(f"  {name:32s}{median(times) * 1e6:12.1f}{min(times) * 1e6:12.1f}{ratio:10.3f}")
    return "\n".join(lines)
