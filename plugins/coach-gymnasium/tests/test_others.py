"""Environments of other packages, where they are installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coach_gymnasium.environment import Gymnasium
from coachcore.api import Discrete
from coachcore.testing.environment import CHECKS

PARTS = {
    "minigrid": {"id": "minigrid:MiniGrid-Empty-5x5-v0", "observations": ("image",)},
    "Box2D": {"id": "LunarLander-v3"},
    "ale_py": {"id": "ale_py:ALE/Pong-v5", "options": {"obs_type": "grayscale"}, "max_episode_steps": 20},
}


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("package", PARTS)
def test_conformance(package: str, check: Any) -> None:
    pytest.importorskip(package)
    check(Gymnasium(**PARTS[package]))


def test_minigrid_shows_pictures_small_or_drawn() -> None:
    pytest.importorskip("minigrid")
    drawn = PARTS["minigrid"] | {"wrappers": ("minigrid.wrappers:RGBImgPartialObsWrapper",)}
    for settings, shape in ((PARTS["minigrid"], (7, 7, 3)), (drawn, (56, 56, 3))):
        environment = Gymnasium(**settings).make(1)
        seen = environment.reset([0], [0])["image"]
        assert (seen.shape, seen.dtype, environment.spaces.action) == ((1, *shape), np.uint8, Discrete(7))
        environment.close()


def test_the_lander_names_what_it_shows() -> None:
    pytest.importorskip("Box2D")
    environment = Gymnasium(id="LunarLander-v3").make(1)
    assert environment.spaces.observation["observation"].names[-1] == "right leg contact"
    environment.close()
