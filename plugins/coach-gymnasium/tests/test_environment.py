"""The part: its settings, when it imports Gymnasium, and conformance."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from coach_gymnasium.environment import Gymnasium
from coachcore.api import BadSetting, spec_of
from coachcore.testing.environment import EnvironmentConformance

Make = Callable[..., Any]


PARTS = {
    "CartPole": Gymnasium(id="CartPole-v1"),
    "short CartPole": Gymnasium(id="CartPole-v1", max_episode_steps=15),
    "Pendulum": Gymnasium(id="Pendulum-v1", options={"g": 9.81}),
    "MountainCar": Gymnasium(id="MountainCar-v0"),
    "FrozenLake": Gymnasium(id="FrozenLake-v1"),
    "reused buffer": Gymnasium(id="Scripted-v2"),
    "Dict": Gymnasium(id="Scripted-v2", options={"kind": "dict"}),
    "one of several": Gymnasium(id="Scripted-v2", options={"kind": "mixed"}, observations=("place",)),
    "wrapped": Gymnasium(
        id="Scripted-v2", options={"kind": "dict"}, wrappers=("gymnasium.wrappers:FlattenObservation",)
    ),
}


class TestConformance(EnvironmentConformance):
    @pytest.fixture(params=list(PARTS))
    def part(self, request: pytest.FixtureRequest) -> Gymnasium:
        return PARTS[request.param]


def test_spec() -> None:
    spec = spec_of(Gymnasium)
    assert (spec.kind, spec.name, spec.aliases) == (
        "environment",
        "gymnasium",
        ("GymVectorEnvironment", "GymEnvironment", "GymEnvironmentParameters"),
    )
    assert [(one.name, one.type, one.required) for one in spec.params or ()] == [
        ("id", "str", True),
        ("options", "table", False),
        ("max_episode_steps", "int", False),
        ("observations", "str[]", False),
        ("wrappers", "str[]", False),
    ]


def test_importing_the_part_does_not_import_gymnasium() -> None:
    code = "import sys, coach_gymnasium.environment; print('gymnasium' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"options": {"rewrd": 1}},
            (
                "environment.options: Scripted-v0 has no option 'rewrd' - "
                "did you mean 'reward'? known: kind, reward, value"
            ),
        ),
        (
            {"options": {"kind": "x"}},
            (
                "environment.options: Scripted-v0 refuses its options {'kind': 'x'} (KeyError: 'x') - "
                "see what its constructor accepts"
            ),
        ),
        (
            {"options": {"render_mode": "human"}},
            (
                "environment.options: 'render_mode' does not belong here - "
                "Coach asks for pictures itself where it needs them"
            ),
        ),
        ({"id": " "}, 'environment.id: it is empty - give the full id of an environment, such as "CartPole-v1"'),
        ({"max_episode_steps": 0}, "max_episode_steps: 0 is out of range - must be >= 1"),
    ],
)
def test_bad_settings(made: Make, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSetting) as caught:
        made(**settings)
    assert str(caught.value) == message
