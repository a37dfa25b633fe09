"""Detached by hand, and by the laws of orchestrators."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

import acme_detached
from acme_detached import Detached
from coachcore.api import CoachError
from coachcore.testing.orchestrator import OrchestratorConformance


class TestLaws(OrchestratorConformance):
    @pytest.fixture(autouse=True)
    def place(self, tmp_path):
        self.folder = str(tmp_path)

    def make(self):
        return Detached(folder=self.folder)


def test_each_worker_has_its_seed_and_its_folder():
    rendered = Detached(first_seed=7).render(Path("my preset.toml"), 2)
    command = f"{sys.executable} -m coachcore run 'my preset.toml' --seed"
    assert rendered == {f"worker-{n}": f"{command} {7 + n} --out worker-{n}.run\n" for n in range(2)}


@pytest.fixture
def sleeping(tmp_path, monkeypatch):
    """Deployments of processes that do nothing until they are told to stop, and leave their mark then."""
    code = "import signal, sys; signal.signal(signal.SIGTERM, lambda *_: sys.exit(0)); print('ready', flush=True); "
    words = [sys.executable, "-c", code + "signal.pause()"]
    monkeypatch.setattr(Detached, "_commands", lambda _, preset, place, n: {f"worker-{i}": words for i in range(n)})
    part = Detached(folder=str(tmp_path), patience=10.0)
    made = []
    yield lambda: made.append(part.deploy(tmp_path / "it.toml", 2)) or (part, made[-1])
    for name in made:
        part.undeploy(name)


def ready(deployment):
    """Wait until every worker has said so."""
    logs = [Path(deployment, f"worker-{number}.log") for number in range(2)]
    while not all(log.read_text() == "ready\n" for log in logs):
        os.sched_yield()


def test_running_until_undone(sleeping):
    part, name = sleeping()
    ready(name)
    assert [text.partition(",")[0] for text in part.status(name).values()] == ["running", "running"]
    again = Detached()  # as another process would make it: the name is all it needs
    again.undeploy(name)
    assert dict(part.status(name)) == {}


def test_one_that_was_killed_is_seen(sleeping):
    part, name = sleeping()
    ready(name)
    os.kill(int(Path(name, "worker-1.pid").read_text()), signal.SIGKILL)
    while acme_detached._alive(Path(name, "worker-1.started")):
        os.sched_yield()
    assert part.status(name)["worker-1"] == "ended: ready"
    assert part.status(name)["worker-0"].startswith("running")


def test_deployments_have_folders_of_their_own(sleeping):
    (_, one), (_, other) = sleeping(), sleeping()
    assert (Path(one).name, Path(other).name) == ("it-workers", "it-workers-2")


def test_a_place_where_nothing_can_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CoachError, match="Not a directory"):
        Detached(folder=str(tmp_path / "file")).deploy(Path("it.toml"), 1)
