"""Walking along a corridor, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from coach_toys.corridor import Corridor
from coachcore.api import BadSetting, Discrete
from coachcore.testing.environment import EnvironmentConformance


class TestConformance(EnvironmentConformance):
    @pytest.fixture(params=[Corridor(), Corridor(length=2), Corridor(length=30, limit=5)])
    def part(self, request: pytest.FixtureRequest) -> Corridor:
        return request.param


def test_a_walk_by_hand() -> None:
    environment = Corridor(length=3, cost=0.25).make(2)
    assert environment.spaces.action == Discrete(2, ("left", "right"))
    assert environment.reset([0, 1], [5, 6])["observation"].tolist() == [[1, 0, 0], [1, 0, 0]]
    first = environment.step(np.array([1, 0]))
    assert first.obs["observation"].tolist() == [[0, 1, 0], [1, 0, 0]]
    assert first.reward.tolist() == [-0.25, -0.25]
    assert not first.terminated.any()
    second = environment.step(np.array([1, 1]))
    assert second.obs["observation"].tolist() == [[0, 0, 1], [0, 1, 0]]
    assert second.reward.tolist() == [0.75, -0.25]
    assert second.terminated.tolist() == [True, False]
    assert not second.truncated.any()


def test_the_limit_truncates_but_arriving_in_the_last_step_terminates() -> None:
    environment = Corridor(length=3, limit=2).make(2)
    environment.reset([0, 1], [0, 0])
    environment.step(np.array([1, 0]))
    last = environment.step(np.array([1, 0]))
    assert (last.terminated.tolist(), last.truncated.tolist()) == ([True, False], [False, True])


def test_pictures() -> None:
    assert Corridor().make(1).render() is None
    environment = Corridor(length=3).make(1, render=True)
    environment.reset([0], [0])
    picture = environment.render()
    assert picture is not None
    assert (picture.shape, picture.dtype) == ((24, 72, 3), np.uint8)
    assert [tuple(picture[12, x]) for x in (12, 36, 60)] == [(50, 90, 200), (255, 255, 255), (60, 170, 80)]


def test_bad_settings() -> None:
    with pytest.raises(BadSetting, match="length: 1 is out of range - must be >= 2"):
        Corridor(length=1)
