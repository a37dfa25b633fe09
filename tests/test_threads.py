"""Thread counts: one each, unless the user has said otherwise."""

from __future__ import annotations

import os
import subprocess
import sys

from coachcore.threads import VARIABLES, cores, one_thread_each, thread_settings


def test_the_users_value_stays(monkeypatch):
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    one_thread_each()
    assert thread_settings() == {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "3", "MKL_NUM_THREADS": "1"}


def test_what_is_not_set_reads_empty(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert thread_settings()["OMP_NUM_THREADS"] == ""


def test_importing_the_core_sets_them_before_numpy():
    environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    code = (
        "import sys, coachcore\n"
        "assert 'numpy' not in sys.modules\n"
        "from coachcore.threads import thread_settings\n"
        "print(*thread_settings().values())"
    )
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["1", "1", "1"]


def test_cores_are_those_that_may_be_used(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert cores() == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores() == 1
