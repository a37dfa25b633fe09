"""The part: both interfaces, truncation, refusals, conformance."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from coach_gym.environment import Gym
from coachcore.api import BadSetting, CoachError, Discrete, UnknownName
from coachcore.testing.environment import EnvironmentConformance

Make = Callable[..., Any]

PARTS = {
    "CartPole": Gym(id="CartPole-v1"),
    "short Pendulum": Gym(id="Pendulum-v1", max_episode_steps=15),
    "new": Gym(id="New-v0"),
    "old": Gym(id="Old-v0"),
    "old, made by a function": Gym(id="Function-v0"),
    "old and short": Gym(id="Old-v0", max_episode_steps=3),
}


class TestConformance(EnvironmentConformance):
    @pytest.fixture(params=list(PARTS))
    def part(self, request: pytest.FixtureRequest) -> Gym:
        return PARTS[request.param]


def episode(environment: Any, action: int, steps: int) -> list[Any]:
    shown = [environment.reset([0], [5])["observation"].tolist()]
    for _ in range(steps):
        step = environment.step(np.array([action]))
        ends = bool(step.terminated[0]), bool(step.truncated[0])
        shown.append((step.obs["observation"].tolist(), float(step.reward[0]), *ends))
    return shown


@pytest.mark.parametrize("name", ["New-v0", "Old-v0", "Function-v0"])
def test_both_interfaces_say_the_same(made: Make, name: str) -> None:
    shown = episode(made(id=name), 0, 10)
    assert shown[0] == [[5.0, 0.0]]
    assert shown[9] == ([[5.0, 9.0]], 0.5, False, False)
    assert shown[10] == ([[5.0, 10.0]], 0.5, True, False)


@pytest.mark.parametrize("name", ["New-v0", "Old-v0"])
def test_a_time_limit_truncates(made: Make, name: str) -> None:
    assert episode(made(id=name, max_episode_steps=2), 0, 2)[-1][2:] == (False, True)


def test_an_old_environment_says_itself_that_it_was_cut_off(made: Make) -> None:
    assert episode(made(id="Old-v0"), 2, 4)[-1][2:] == (False, True)


def test_actions_count_from_zero(made: Make) -> None:
    environment = made()
    assert environment.spaces.action == Discrete(3)
    episode(environment, 2, 1)
    assert environment._envs[0].unwrapped.told == [3]


@pytest.mark.parametrize("name", ["New-v0", "Old-v0"])
def test_pictures(made: Make, name: str) -> None:
    assert made(id=name).render() is None
    environment = made(id=name, render=True)
    episode(environment, 0, 2)
    picture = environment.render()
    assert (picture.shape, picture.dtype, picture.max()) == ((3, 4, 3), np.uint8, 2)


def test_importing_the_part_does_not_import_gym_and_making_it_says_nothing() -> None:
    code = (
        "import sys, coach_gym.environment as e\n"
        "print('gym' in sys.modules)\n"
        "e.Gym(id='CartPole-v1').make(1).close()\n"
        "print('gym' in sys.modules)\n"
    )
    said = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert (said.stdout, said.stderr) == ("False\nTrue\n", "")


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"id": " "}, BadSetting, 'environment.id: it is empty - give the full id, such as "CartPole-v1"'),
        (
            {"id": "CartPole-v7"},
            UnknownName,
            "environment.id: there is no environment 'CartPole-v7' in gym - known: CartPole-v0, CartPole-v1",
        ),
        (
            {"id": "New"},
            UnknownName,
            "environment.id: there is no environment 'New' in gym - known: New-v0, New-v3",
        ),
        (
            {"id": "no_such_package:X-v0"},
            UnknownName,
            (
                "environment.id: 'no_such_package' cannot be imported (No module named 'no_such_package') - "
                "install the package that holds it"
            ),
        ),
        (
            {"id": "Bare-v0"},
            BadSetting,
            (
                "environment.id: Bare-v0 can be given no seed, neither by reset nor by a method of its own - "
                "an episode could not be repeated, nor a run resumed"
            ),
        ),
        (
            {"options": {"render_mode": "human"}},
            BadSetting,
            (
                "environment.options: 'render_mode' does not belong here - "
                "Coach asks for pictures itself where it needs them"
            ),
        ),
        (
            {"options": {"fails": "y"}},
            BadSetting,
            (
                "environment.options: New-v0 refuses its options {'fails': 'y'} (ValueError: two lines) - "
                "see what its constructor accepts"
            ),
        ),
        (
            {"options": {"fails": "x"}},
            BadSetting,
            "environment.id: New-v0 needs the package 'x', which is not installed - pip install it",
        ),
    ],
)
def test_refusals(made: Make, settings: dict[str, Any], error: type[CoachError], message: str) -> None:
    with pytest.raises(CoachError) as caught:
        made(**settings)
    assert (type(caught.value), str(caught.value)) == (error, message)


def test_gym_is_missing(made: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gym", None)
    with pytest.raises(BadSetting) as caught:
        made()
    assert str(caught.value) == (
        "environment.use: gym cannot be imported (import of gym halted; None in sys.modules) - "
        "pip install 'gym==0.26.2', or use 'gymnasium'"
    )
