"""Walking along a chain, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from coach_toys.exploration_chain import ExplorationChain
from coachcore.api import BadSetting
from coachcore.testing.environment import EnvironmentConformance


class TestConformance(EnvironmentConformance):
    @pytest.fixture(params=[ExplorationChain(), ExplorationChain(chain_length=4, observation_type="one-hot")])
    def part(self, request: pytest.FixtureRequest) -> ExplorationChain:
        return request.param


def test_a_walk_by_hand() -> None:
    environment = ExplorationChain(chain_length=4, start_state=2).make(2)
    assert environment.reset([0, 1], [0, 1])["observation"].tolist() == [[1, 1, 1, 0]] * 2
    first = environment.step(np.array([1, 0]))
    assert first.obs["observation"].tolist() == [[1, 1, 1, 1], [1, 1, 0, 0]]
    assert first.reward.tolist() == [1.0, 0.0]
    second = environment.step(np.array([1, 0]))
    assert second.obs["observation"].tolist() == [[1, 1, 1, 1], [1, 0, 0, 0]]
    assert second.reward.tolist() == [1.0, 0.001]
    assert not second.terminated.any()
    assert not second.truncated.any()


@pytest.mark.parametrize(("most", "steps"), [(None, 13), (2, 2)])
def test_nothing_ends_but_the_steps_run_out(most: int | None, steps: int) -> None:
    environment = ExplorationChain(chain_length=4, max_steps=most).make(1)
    environment.reset([0], [0])
    seen = [environment.step(np.array([1])) for _ in range(steps)]
    assert [bool(step.truncated[0]) for step in seen] == [False] * (steps - 1) + [True]
    assert not any(step.terminated[0] for step in seen)


def test_one_hot() -> None:
    environment = ExplorationChain(chain_length=4, observation_type="one-hot").make(1)
    assert environment.reset([0], [0])["observation"].tolist() == [[0, 1, 0, 0]]


def test_pictures() -> None:
    assert ExplorationChain().make(1).render() is None
    environment = ExplorationChain(chain_length=4).make(1, render=True)
    environment.reset([0], [0])
    picture = environment.render()
    assert picture is not None
    assert [tuple(picture[0, 24 * i]) for i in range(4)] == [
        (200, 60, 50), (50, 90, 200), (255, 255, 255), (60, 170, 80),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"chain_length": 3}, "chain_length: 3 is out of range - must be >= 4"),
        ({"chain_length": 5, "start_state": 5}, "start_state: 5 is no place of 0 to 4 - begin on the chain"),
        (
            {"observation_type": "therm"},
            "observation_type: 'therm' is not a choice here - did you mean 'thermometer'? known: one-hot, thermometer",
        ),
    ],
)
def test_bad_settings(settings: dict[str, int], message: str) -> None:
    with pytest.raises(BadSetting) as caught:
        ExplorationChain(**settings)
    assert str(caught.value) == message
