"""What is set for the whole process, seen in processes of their own; and the programs kept for the next run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from coach_tensorflow import process, programs


def run(code: str, **given: str) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("TF_", "KERAS_", "XLA_"))}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=clean | given, check=False, timeout=300
    )


THREADS = """
from coach_tensorflow import process
process.prepare({executor!r}, cache=False)
import tensorflow as tf
t = tf.config.threading
print(t.get_intra_op_parallelism_threads(), t.get_inter_op_parallelism_threads())
"""


def test_a_small_executor_runs_on_one_thread_and_says_nothing() -> None:
    done = run(THREADS.format(executor="small"))
    assert (done.stdout, done.stderr) == ("1 1\n", "")


def test_networks_run_side_by_side_unless_the_user_says_otherwise() -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert run(THREADS.format(executor="twin")).stdout == f"1 {cores}\n"
    assert run(THREADS.format(executor="twin"), TF_NUM_INTEROP_THREADS="3").stdout.split()[0] == "1"


def test_threads_that_the_user_set_are_kept() -> None:
    code = "import tensorflow as tf\ntf.config.threading.set_intra_op_parallelism_threads(3)\n"
    assert run(code + THREADS.format(executor="small")).stdout == "3 1\n"


@pytest.mark.parametrize(
    ("declared", "sequence", "cores", "used"),
    [("twin", 1, 2, "twin"), ("twin", 1, 1, "small"), ("twin", 8, 1, "twin"), ("conv", 1, 1, "conv")],
)
def test_on_one_core_networks_are_not_laid_side_by_side(
    monkeypatch: pytest.MonkeyPatch, declared: str, sequence: int, cores: int, used: str
) -> None:
    monkeypatch.setattr(process, "_cores", lambda: cores)
    assert process.suited(declared, sequence) == used


def test_another_keras_backend_is_a_mismatch_in_one_line() -> None:
    code = """
from coach_tensorflow import process
from coachcore.api import Mismatch
try:
    process.prepare("small", cache=False)
except Mismatch as error:
    print(error)
"""
    told = run(code, KERAS_BACKEND="elsewhere").stdout
    assert told.startswith("engine 'tensorflow' needs Keras on TensorFlow, but Keras runs 'elsewhere' here; ")
    assert told.count("\n") == 1
    running = """
import sys, types
config = types.SimpleNamespace(backend=lambda: "jax")
sys.modules["keras"] = types.SimpleNamespace(config=config)
"""
    assert "Keras runs 'jax' here" in run(running + code).stdout


def test_importing_the_part_imports_no_backend() -> None:
    code = """
import sys
import coach_tensorflow.engine, coach_value.dqn, coach_networks.heads.dueling_q, coach_networks.embedders.vector
print(sorted({name.partition('.')[0] for name in sys.modules} & {"tensorflow", "keras", "jax"}))
"""
    assert run(code).stdout == "[]\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "programs"
    monkeypatch.setattr(programs, "folder", lambda: folder)
    monkeypatch.delenv("TF_XLA_FLAGS", raising=False)
    return folder


def test_programs_are_kept_beside_the_users_own_flags(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_XLA_FLAGS", "--tf_xla_clustering_debug")
    programs.keep()
    assert os.environ["TF_XLA_FLAGS"] == f"--tf_xla_clustering_debug {programs.FLAG}={place}"
    assert place.is_dir()


def test_a_folder_of_the_users_is_left_alone(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = f"{programs.FLAG}=mine"
    monkeypatch.setenv("TF_XLA_FLAGS", mine)
    programs.keep()
    assert os.environ["TF_XLA_FLAGS"] == mine
    assert not place.exists()
    assert programs.forget() is False


def test_a_home_that_cannot_be_written_is_no_error(place: Path) -> None:
    place.parent.joinpath("programs").write_text("a file where the folder should be")
    programs.keep()
    assert "TF_XLA_FLAGS" not in os.environ


def test_only_the_newest_programs_stay(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "KEPT", 2)
    place.mkdir()
    for age, name in enumerate(("old.pb", "mid.pb", "new.pb")):
        (place / name).touch()
        os.utime(place / name, (age, age))
    programs.keep()
    assert sorted(file.name for file in place.iterdir()) == ["mid.pb", "new.pb"]


def test_forgetting_deletes_what_this_process_reads(place: Path) -> None:
    programs.keep()
    assert programs.forget() is False
    (place / "one.pb").touch()
    assert programs.forget() is True
    assert not list(place.iterdir())


def test_the_folder_is_the_users_cache(tmp_path: Path) -> None:
    assert programs.folder().parts[-3:-1] == ("coach", "tensorflow")


NEUTRAL = Path(__file__).parents[2] / "coach-networks" / "tests"
CACHED = """
import sys
sys.path.insert(0, {folder!r})
from toy_problems import drawn, problem
from coach_tensorflow import programs
from pathlib import Path
programs.folder = lambda: Path({place!r})
from coach_tensorflow.engine import TensorFlow
made = TensorFlow().make(problem())
made.train(drawn(2), 0.01)
print(made.state()["weights"].tobytes().hex())
"""


def test_a_kept_program_gives_equal_bits_and_a_damaged_one_is_compiled_anew(tmp_path: Path) -> None:
    code = CACHED.format(folder=str(NEUTRAL), place=str(tmp_path))

    def bits() -> Any:
        done = run(code)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    fresh = bits()
    kept = list(tmp_path.glob("*.pb"))
    assert kept
    assert bits() == fresh
    for file in kept:
        file.write_bytes(file.read_bytes()[:500])
    assert bits() == fresh
