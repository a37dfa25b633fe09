"""Thread counts, set on purpose and before NumPy is imported."""

from __future__ import annotations

import os

VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def one_thread_each() -> None:
    """One BLAS and OpenMP thread a process, unless the user has said otherwise.

    Two BLAS threads beside any other busy thread wait for each other in a spin
    loop: a product of 64x256x256 took a hundred times as long when measured.
    It works only before NumPy is imported, so the entry point calls it first.
    """
    for variable in VARIABLES:
        os.environ.setdefault(variable, "1")


def thread_settings() -> dict[str, str]:
    """What the variables say now; part of a run's lock, since thread counts change rounding."""
    return {variable: os.environ.get(variable, "") for variable in VARIABLES}


def cores() -> int:
    """Cores that this process may use; engines take as many threads for wide networks."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on every platform
    return len(affinity(0)) if affinity else os.cpu_count() or 1
