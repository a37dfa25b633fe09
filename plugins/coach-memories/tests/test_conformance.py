"""Every memory of this distribution keeps the laws of memories."""

from __future__ import annotations

import pytest

from coach_memories.episodic_experience_replay import EpisodicExperienceReplay
from coach_memories.experience_replay import ExperienceReplay
from coach_memories.prioritized_experience_replay import PrioritizedExperienceReplay
from coach_memories.rollout import Rollout
from coachcore.api import Column, Layout
from coachcore.testing.memory import LAWS, MemoryConformance

PARTS = {
    "uniform": ExperienceReplay(capacity=50),
    "uniform-different": ExperienceReplay(capacity=50, replacement=False),
    "uniform-full-batch": ExperienceReplay(capacity=8, replacement=False),
    "prioritized": PrioritizedExperienceReplay(capacity=50),
    "prioritized-deep": PrioritizedExperienceReplay(capacity=4_000, alpha=1.0, beta=1.0),
    "prioritized-unweighted": PrioritizedExperienceReplay(capacity=9, beta=0.0),
    "episodic": EpisodicExperienceReplay(capacity=50),
    "rollout": Rollout(),
}
LAYOUTS = {
    "vector": MemoryConformance.layout,
    "image": Layout(
        (
            Column("obs.camera", (2, 2, 1), "uint8"),
            Column("obs.speed", (3,)),
            Column("action", (2,)),
            Column("reward"),
            Column("discount"),
            Column("next_obs.camera", (2, 2, 1), "uint8"),
            Column("next_obs.speed", (3,)),
            Column("spread", (2, 3)),
        )
    ),
    "stack": Layout(
        (
            Column("obs.camera", (3, 2, 4), "uint8"),
            Column("action"),
            Column("reward"),
            Column("discount"),
            Column("next_obs.camera", (3, 2, 4), "uint8"),
            Column("mask", (5,), "uint8"),
        )
    ),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("part", PARTS)
def test_law(part, layout, law):
    law(PARTS[part], LAYOUTS[layout])
