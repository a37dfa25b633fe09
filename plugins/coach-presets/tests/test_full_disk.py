"""A disk that is full: one line, and the run goes on from what was saved before."""

from __future__ import annotations

from pathlib import Path

import pytest

from coachcore.running.checkpoint import Checkpoints
from coachcore.testing.laws import differing

LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, resource.RLIM_INFINITY))
"""


def test_a_disk_that_is_full_while_saving(runs, stopped):
    pytest.importorskip("resource")
    folder = runs.copy(stopped)
    before = Checkpoints(folder / "checkpoints").load()
    largest = max(path.stat().st_size for path in folder.rglob("*.npy"))  # the replay, and it grows
    said = runs.child("run", "--resume", str(folder), prelude=LIMITED.format(limit=largest + 1000))
    said.refusal(f"coach: {folder / 'checkpoints'}: cannot save a checkpoint: ", "the last whole checkpoint is 'step-")
    assert differing(before, Checkpoints(folder / "checkpoints").load()) == []
    assert list(folder.rglob(".*.tmp")) == []
    runs.went_on(folder)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_disk_that_is_full_for_the_record(runs, coach, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "events.jsonl").symlink_to("/dev/full")
    coach(*runs.arguments(folder)).refusal("coach: ", str(folder / "events.jsonl"))


def test_a_folder_that_cannot_be_written(runs, coach, tmp_path):
    coach(*runs.arguments(Path("/proc/nowhere"))).refusal("coach: ", "/proc/nowhere")
