"""What is set for the whole process, seen in processes of their own; and the programs kept for the next run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

NEUTRAL = Path(__file__).parents[2] / "coach-networks" / "tests"
pytest.importorskip("jax")


def run(code: str, **given: str) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("JAX_", "KERAS_", "XLA_"))}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=clean | given, check=False, timeout=300
    )


SETTINGS = """
import os
from coach_jax import process
process.prepare({executor!r}, cache={cache})
import jax
print(os.environ.get("KERAS_BACKEND"), os.environ.get("XLA_FLAGS"), jax.config.jax_compilation_cache_dir, sep="|")
"""
ONE = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


@pytest.mark.parametrize(("executor", "flags"), [("small", ONE), ("twin", "None"), ("conv", "None")])
def test_only_small_networks_run_on_one_thread(executor: str, flags: str) -> None:
    done = run(SETTINGS.format(executor=executor, cache=False))
    assert (done.stdout, done.stderr) == (f"jax|{flags}|None\n", "")


def test_flags_that_the_user_set_are_kept() -> None:
    mine = "--xla_cpu_multi_thread_eigen=true"
    assert run(SETTINGS.format(executor="small", cache=False), XLA_FLAGS=mine).stdout == f"jax|{mine}|None\n"


def test_flags_are_left_alone_once_jax_is_there() -> None:
    assert run("import jax\n" + SETTINGS.format(executor="small", cache=False)).stdout == "jax|None|None\n"


def test_programs_are_kept_in_the_users_cache(tmp_path: Path) -> None:
    done = run(SETTINGS.format(executor="twin", cache=True), XDG_CACHE_HOME=str(tmp_path), HOME=str(tmp_path))
    place = Path(done.stdout.strip().rpartition("|")[2])
    assert place.is_dir()
    assert place.is_relative_to(tmp_path)
    assert place.parts[-3:-1] == ("coach", "jax")


def test_a_cache_of_the_users_is_left_alone(tmp_path: Path) -> None:
    mine = str(tmp_path / "mine")
    done = run(SETTINGS.format(executor="twin", cache=True), JAX_COMPILATION_CACHE_DIR=mine, HOME=str(tmp_path))
    assert done.stdout == f"jax|None|{mine}\n"


def test_a_home_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file where the folder should be")
    done = run(SETTINGS.format(executor="twin", cache=True), XDG_CACHE_HOME=str(blocked), HOME=str(blocked))
    assert (done.stdout, done.stderr) == ("jax|None|None\n", "")


CLASH = """
from coach_jax import process
from coachcore.api import Mismatch
try:
    process.prepare({executor!r}, cache=False)
except Mismatch as error:
    print(error)
"""


def test_another_keras_backend_is_a_mismatch_in_one_line() -> None:
    told = run(CLASH.format(executor="small"), KERAS_BACKEND="elsewhere").stdout
    assert told.startswith("engine 'jax' needs Keras on JAX, but Keras runs 'elsewhere' here; unset KERAS_BACKEND")
    assert told.count("\n") == 1
    running = """
import sys, types
config = types.SimpleNamespace(backend=lambda: "tensorflow")
sys.modules["keras"] = types.SimpleNamespace(config=config)
"""
    assert "Keras runs 'tensorflow' here" in run(running + CLASH.format(executor="small")).stdout


def test_an_executor_that_does_not_exist_is_refused() -> None:
    told = run(CLASH.format(executor="huge")).stdout
    assert told == "there is no executor 'huge'; an agent may declare small, twin, conv\n"


def test_importing_the_part_imports_no_backend() -> None:
    code = """
import sys
import coach_jax.engine
print(sorted({name.partition('.')[0] for name in sys.modules} & {"tensorflow", "keras", "jax"}))
"""
    assert run(code).stdout == "[]\n"


CACHED = """
import sys
sys.path.insert(0, {folder!r})
from toy_problems import drawn, problem
from coach_jax.engine import Jax
made = Jax(cache={cache}).make(problem())
made.train(drawn(2), 0.01)
print(made.state()["weights"].tobytes().hex())
"""


def test_a_kept_program_gives_equal_bits(tmp_path: Path) -> None:
    home = {"XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}

    def bits(*, cache: bool) -> str:
        done = run(CACHED.format(folder=str(NEUTRAL), cache=cache), **home)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    alone = bits(cache=False)
    assert not (tmp_path / "coach").exists()
    fresh = bits(cache=True)
    assert list(tmp_path.glob("coach/jax/*/*"))
    assert bits(cache=True) == fresh == alone
