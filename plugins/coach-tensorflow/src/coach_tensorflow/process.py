"""What TensorFlow fixes for a whole process: set once, and only where the user has not."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from coach_tensorflow import programs
from coachcore.api import Mismatch

EXECUTORS = ("small", "twin", "conv")


def suited(executor: str, sequence: int) -> str:
    """The executor to use where an agent declares `executor`: on one core networks cannot run side by side, and
    XLA, which joins what lies between their products, wins (an eighth of an update of SAC), but for loops over time."""
    return "small" if executor == "twin" and sequence == 1 and _cores() == 1 else executor


def prepare(executor: str, *, cache: bool = True) -> None:
    """Make this process ready for an executor; the first call in a process decides for all.

    Raises `Mismatch` when Keras already runs, or is told to run, another backend.
    """
    if executor not in EXECUTORS:
        raise Mismatch(f"there is no executor '{executor}'; an agent may declare {', '.join(EXECUTORS)}")
    _check_backend()
    if "tensorflow" not in sys.modules:
        # 3 may be this very line's in a parent process, 1 is what importing JAX sets: neither is a wish of the user's
        chatty = os.environ.get("TF_CPP_MIN_LOG_LEVEL", "3") not in ("1", "3")
        if not chatty:
            os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"  # what goes wrong comes as an exception, too
        if cache:
            programs.keep()
        with nullcontext() if chatty else _held_back():
            # TensorFlow's note about oneDNN is written before its log level is read
            importlib.import_module("tensorflow")
    _set_threads(importlib.import_module("tensorflow"), executor)


def _check_backend() -> None:
    keras = sys.modules.get("keras")
    running = os.environ.setdefault("KERAS_BACKEND", "tensorflow") if keras is None else keras.config.backend()
    if running != "tensorflow":
        raise Mismatch(
            f"engine 'tensorflow' needs Keras on TensorFlow, but Keras runs '{running}' here; "
            "unset KERAS_BACKEND or set it to tensorflow before Keras is imported"
        )


@contextmanager
def _held_back() -> Iterator[None]:
    """Hold back what C++ code writes to standard error; shown after all when something is raised."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as said:
        os.dup2(said.fileno(), 2)
        try:
            yield
        except Exception:  # not Ctrl-C, which is nothing to explain
            said.seek(0)
            os.write(kept, said.read())
            raise
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def _set_threads(tf: Any, executor: str) -> None:
    """One thread inside an operation; operations side by side only where networks are wide."""
    threading = tf.config.threading
    beside = 1 if executor == "small" else _cores()
    wanted = (("TF_NUM_INTRAOP_THREADS", "intra", 1), ("TF_NUM_INTEROP_THREADS", "inter", beside))
    for variable, name, count in wanted:
        if variable in os.environ or getattr(threading, f"get_{name}_op_parallelism_threads")() != 0:
            continue
        try:
            getattr(threading, f"set_{name}_op_parallelism_threads")(count)
        except RuntimeError:
            return  # TensorFlow has already started in this process with its own choice


def _cores() -> int:
    """Cores that this process may use: fewer than the machine's in a container or where it is pinned."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
