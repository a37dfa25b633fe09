"""Where the other sides live: a virtual environment each in the user's cache folder, made on first use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PACKAGES = {
    "sb3": ("torch", "stable-baselines3>=2.4", "sb3-contrib>=2.4", "gymnasium"),
    "sbx": ("sbx-rl>=0.20", "jax", "torch", "gymnasium"),
}


def python_of(side: str) -> Path:
    """The interpreter in which `side` runs; makes its environment, or adds what `PACKAGES` now asks for besides."""
    if side not in PACKAGES:
        return Path(sys.executable)
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "coach" / f"versus-{side}"
    python, note = home / "bin" / "python", home / "packages.txt"
    wanted = "\n".join(PACKAGES[side])
    if python.exists() and note.exists() and note.read_text(encoding="utf-8") == wanted:
        return python
    print(f"making a virtual environment for {side} ...", file=sys.stderr)
    if not python.exists():
        subprocess.run(["uv", "venv", "-q", str(home), "--python", sys.executable], check=True)
    find = [f"--find-links={links}"] if (links := os.environ.get("PIP_FIND_LINKS")) else []
    backend = [] if find else ["--torch-backend=cpu"]
    install = ["uv", "pip", "install", "-q", "--python", str(python), *find, *backend, *PACKAGES[side]]
    subprocess.run(install, check=True)
    note.write_text(wanted, encoding="utf-8")
    return python


def surroundings(side: str, cores: int) -> dict[str, str]:
    """Thread counts of a child. Coach and JAX have their own ways of using two cores, so only one core is forced."""
    threads = 1 if side in ("coach", "dqn") else cores
    said = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    if cores == 1:
        said |= {"TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1"}
        said["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    return os.environ | said


def pin(cores: int) -> None:
    """Keep this process to as many cores, where the system can; called before anything starts a thread."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-cores:])
