"""The part `paced`: settings, conformance and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from coach_environments.paced import Paced
from coachcore.api import BadSetting, Mismatch
from coachcore.testing.environment import EnvironmentConformance
from coachcore.testing.toys import ToySigns

Make = Callable[..., Any]


class TestConformance(EnvironmentConformance):
    @pytest.fixture(
        params=[
            Paced(environment=ToySigns()),
            Paced(environment=ToySigns(), frame_skip=3, maximum_over=2, repeat_action_probability=0.3, time_limit=2),
            Paced(environment=ToySigns(), no_ops=5, opening=(1, 0)),
            Paced(environment=ToySigns(length=4), no_ops=6),
            Paced(environment=ToySigns(actions="box"), no_ops=3, frame_skip=2),
        ]
    )
    def part(self, request: pytest.FixtureRequest) -> Paced:
        return request.param


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"frame_skip": 0}, "frame_skip: 0 is out of range - must be >= 1"),
        ({"maximum_over": 2}, "maximum_over: 2 frames, but an action lasts 1 - at most so many"),
        (
            {"repeat_action_probability": 1.5},
            "repeat_action_probability: 1.5 is out of range - must be >= 0 and <= 1",
        ),
        ({"no_ops": -1}, "no_ops: -1 is out of range - must be >= 0"),
        ({"opening": (-1,)}, "opening: -1 is out of range - must be >= 0"),
        ({"time_limit": 0}, "time_limit: 0 is out of range - must be >= 1"),
    ],
)
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSetting) as caught:
        Paced(environment=ToySigns(), **settings)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("inner", "settings", "message"),
    [
        (
            {},
            {"episode_life": True},
            "environment.episode_life: 'toy-signs' does not count lives here - leave it out",
        ),
        ({}, {"opening": (1, 2)}, "environment.opening: 2 is not an action of 0 to 1"),
        (
            {"actions": "box"},
            {"opening": (0,)},
            "environment.opening: the actions of 'toy-signs' are not discrete - leave it out",
        ),
    ],
)
def test_settings_that_do_not_fit(inner: dict[str, Any], settings: dict[str, Any], message: str) -> None:
    with pytest.raises(Mismatch) as caught:
        Paced(environment=ToySigns(**inner), **settings).make(1)
    assert str(caught.value) == message


def test_evaluation_plays_whole_games(frail: Make) -> None:
    part = Paced(environment=frail(), frame_skip=2, episode_life=True)
    assert part.evaluation == Paced(environment=frail(), frame_skip=2)
