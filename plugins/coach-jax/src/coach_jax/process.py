"""What JAX fixes for a whole process: set once, and only where the user has not."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib.metadata import version

from coachcore.api import Mismatch

EXECUTORS = ("small", "twin", "conv")
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def prepare(executor: str, *, cache: bool = True) -> None:
    """Make this process ready for an executor; the first call in a process decides for all.

    Raises `Mismatch` when Keras already runs, or is told to run, another backend.
    """
    if executor not in EXECUTORS:
        raise Mismatch(f"there is no executor '{executor}'; an agent may declare {', '.join(EXECUTORS)}")
    keras = sys.modules.get("keras")
    running = os.environ.setdefault("KERAS_BACKEND", "jax") if keras is None else keras.config.backend()
    if running != "jax":
        raise Mismatch(
            f"engine 'jax' needs Keras on JAX, but Keras runs '{running}' here; "
            "unset KERAS_BACKEND or set it to jax before Keras is imported"
        )
    if "jax" not in sys.modules and executor == "small" and "XLA_FLAGS" not in os.environ:
        os.environ["XLA_FLAGS"] = ONE_THREAD  # a small network loses more to waiting threads than it gains
    import jax

    if cache and jax.config.jax_compilation_cache_dir is None:
        _keep(jax)


def _keep(jax: object) -> None:
    """Keep compiled programs, also small ones, in the user's cache folder, a folder for each version of JAX."""
    import platformdirs

    place = platformdirs.user_cache_path("coach") / "jax" / version("jaxlib")
    with suppress(OSError):  # a home that cannot be written costs a second of compiling, nothing else
        place.mkdir(parents=True, exist_ok=True)
        config = jax.config  # type: ignore[attr-defined]
        config.update("jax_compilation_cache_dir", str(place))
        config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
        config.update("jax_persistent_cache_min_entry_size_bytes", -1)
