"""A run that begins with what another one lived through, or with a file."""

from __future__ import annotations

import numpy as np
import pytest

import coachcore
from coachcore.api import CoachError
from coachcore.running.checkpoint import Checkpoints

SHORT = {
    "environment.max_episode_steps": 20,
    "schedule.train": "60 steps",
    "schedule.heatup": "20 steps",
    "schedule.evaluate": {"every": "50 steps", "episodes": 1},
    "schedule.target": None,
    "agent.learner.batch_size": 16,
    "agent.n_step": 1,
    "engine.cache": False,
}
LOADING = {"schedule.heatup": "0 steps", "memory.load": "first"}


def run(preset, folder, **changes):
    return coachcore.run(preset.changed(SHORT | changes), out=folder, recorders={}).folder


def stored(folder):
    return Checkpoints(folder / "checkpoints").load()["machine"]["memory"]


@pytest.mark.parametrize("use", ["experience-replay", "episodic-experience-replay"])
def test_a_run_begins_with_the_memory_of_another(use, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    preset = coachcore.load_preset("cartpole-dqn").changed({"memory": {"use": use, "capacity": 500}})
    run(preset, tmp_path / "first")
    again = run(preset, tmp_path / "second", **LOADING)
    before, after = (stored(folder) for folder in (tmp_path / "first", again))
    before, after = (state.get("ring", state)["packed"] for state in (before, after))
    assert len(before) == 60
    assert len(after) == 120
    assert {row.tobytes() for row in before} == {row.tobytes() for row in after[:60]}
    (tmp_path / "first").rename(tmp_path / "gone")
    coachcore.run(resume=again, recorders={})  # what was loaded is in its own checkpoint


def test_a_run_begins_with_a_table(tmp_path):
    rows = ["episode_id,state_feature_0,state_feature_1,state_feature_2,state_feature_3,action,reward"]
    rows += [f"{step // 10},{step},0,0,1,{step % 2},1" for step in range(100)]
    (tmp_path / "steps.csv").write_text("\n".join(rows), encoding="utf-8")
    preset = coachcore.load_preset("cartpole-dqn")
    folder = run(preset, tmp_path / "run", **{"schedule.heatup": "0 steps", "memory.load": str(tmp_path / "steps.csv")})
    packed = stored(folder)["packed"]
    assert len(packed) == 90 + 60
    assert packed[:9, 0].tolist() == list(range(9))
    assert np.flatnonzero(packed[:90, 6] == 0).tolist() == list(range(8, 90, 9))  # the discount at each episode's end


def test_what_cannot_be_loaded_is_said_before_the_first_step(tmp_path):
    with pytest.raises(CoachError, match="there is nothing here - name a run's folder"):
        run(coachcore.load_preset("cartpole-dqn"), tmp_path / "run", **{"memory.load": "nowhere"})
