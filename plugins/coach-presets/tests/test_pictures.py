"""Learning from what an environment draws: pictures stay bytes, and a bright stack of them reaches the network."""

from __future__ import annotations

import pytest

import coachcore
from coachcore.presets.build import build
from coachcore.running.loop import train
from coachcore.running.machine import Machine

LOOKING = {
    "coach": 1,
    "environment": {
        "use": "gymnasium",
        "id": "minigrid:MiniGrid-Empty-Random-5x5-v0",
        "wrappers": ["minigrid.wrappers:RGBImgPartialObsWrapper"],
        "observations": ["image"],
    },
    "agent": {
        "use": "dqn",
        "network": {"embedders": {"image": {"use": "image", "scheme": "medium"}}},
        "learner": {"train_every": "8 steps"},
    },
    "exploration": {"use": "e-greedy"},
    "memory": {"use": "experience-replay", "capacity": 2_000},
    "filters": {"image": [{"use": "rgb-to-y"}, {"use": "to-uint8"}, {"use": "stacking", "size": 4}]},
    "schedule": {"heatup": "200 steps", "train": "1_000 steps", "evaluate": {"every": "500 steps", "episodes": 1}},
}


@pytest.mark.slow
def test_dqn_sees_four_frames_of_56_by_56():
    pytest.importorskip("minigrid")
    machine = Machine(build(coachcore.load_preset(LOOKING)))
    try:
        kinds = [event.kind for event in train(machine)]
    finally:
        machine.close()
    assert kinds.count("evaluation") == 2
    assert kinds[-1] == "run-end"
    assert machine.clock.updates == 100
    seen = machine.obs["image"]
    assert (seen.shape, str(seen.dtype)) == ((1, 56, 56, 4), "uint8")
    frames = [planes["pixels"].nbytes for planes in machine.memory.state()["pictures"].values()]
    assert 0 < sum(frames) < 1.2 * 1_000 * 56 * 56  # each frame is stored once, not four times before and after
