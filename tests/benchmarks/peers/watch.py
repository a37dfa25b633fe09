"""What both sides measure alike."""

from __future__ import annotations

import gc
from collections.abc import Callable
from importlib import import_module
from time import perf_counter
from typing import Any, NamedTuple


class Stopwatch:
    """Seconds spent in the functions it was put around."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            begun = perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                self.seconds += perf_counter() - begun

        return timed


class Mark(NamedTuple):
    """How far a run was at a moment."""

    moment: float
    steps: int
    updates: int
    trained: float  # seconds in train calls


def result(measure: str, begun: Mark, ended: Mark, modules: tuple[str, ...]) -> dict[str, Any]:
    """What a child prints: the rate that `measure` names, microseconds of train call an update, and versions."""
    steps, updates = ended.steps - begun.steps, ended.updates - begun.updates
    seconds, trained = ended.moment - begun.moment, ended.trained - begun.trained
    done = {"steps/s": steps / seconds, "updates/s": updates / seconds, "updates/s of train calls": updates / trained}
    return {
        "rate": done[measure],
        "us": 1e6 * trained / updates,
        "updates": updates,
        "seconds": seconds,
        "versions": {name: import_module(name).__version__ for name in modules},
    }


def bytes_held(held: object) -> int:
    """Bytes of all NumPy arrays reachable from `held`, each piece of memory once."""
    import numpy as np

    seen, waiting, total = set(), [held], 0
    while waiting:
        at = waiting.pop()
        if id(at) in seen or isinstance(at, type | type(gc)) or callable(at):
            continue
        seen.add(id(at))
        if isinstance(at, np.ndarray):
            total += at.nbytes if at.base is None else 0
            waiting += [at.base] if at.base is not None else []
        else:
            waiting += gc.get_referents(at)
    return total
