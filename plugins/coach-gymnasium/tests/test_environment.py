"""Gymnasium environments as parts: conformance, translation, and each refusal's text."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces as gym

from coach_gymnasium.environment import Gymnasium
from coach_gymnasium.translate import _finite
from coachcore.api import BadData, BadSetting, Box, Discrete, Mismatch, UnknownName, spec_of
from coachcore.testing.environment import EnvironmentConformance


class Scripted(gymnasium.Env):
    """Shows what it is told to show, from one buffer that it writes again and again."""

    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012 - Gymnasium's own convention

    def __init__(
        self, kind: str = "box", value: float = 0.0, reward: float = 1.0, render_mode: str | None = None
    ) -> None:
        self.render_mode, self.value, self.paid, self.closed = render_mode, value, reward, 0
        self.buffer = np.zeros(3, np.float64)
        self.told: list[Any] = []
        box = gym.Box(-10.0, 10.0, (3,), np.float64)
        self.observation_space = {
            "box": box,
            "image": gym.Box(0, 255, (4, 4, 3), np.uint8),
            "discrete": gym.Discrete(4, start=10),
            "dict": gym.Dict({"place": box, "room": gym.Discrete(2)}),
            "text": gym.Dict({"mission": gym.Text(5)}),
            "short": gym.Box(-10.0, 10.0, (2,), np.float64),
        }[kind]
        self.kind = kind
        self.action_space: gym.Space[Any] = gym.Discrete(2, start=5)

    def shown(self) -> Any:
        self.buffer += 0.25
        self.buffer[1] = self.value
        if self.kind == "discrete":
            return np.int64(12)
        if self.kind == "image":
            return np.full((4, 4, 3), 7, np.uint8)
        return {"place": self.buffer, "room": 1} if self.kind == "dict" else self.buffer

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.buffer[:] = 0.0
        return self.shown(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.told.append(action)
        return self.shown(), self.paid, False, False, {}

    def render(self) -> Any:
        return np.full((8, 9, 3), 200, np.uint8)

    def close(self) -> None:
        self.closed += 1


class Steered(Scripted):
    def __init__(self, whole: bool = False, **given: Any) -> None:
        super().__init__(**given)
        self.action_space = gym.Box(0, 3, (2,), np.int64) if whole else gym.Box(-1.0, 1.0, (2,), np.float64)


@pytest.fixture(autouse=True)
def scripted() -> Iterator[None]:
    gymnasium.register("Scripted-v0", Scripted)
    gymnasium.register("Scripted-v2", Scripted, max_episode_steps=20)
    gymnasium.register("Scripted-v10", Scripted)
    gymnasium.register("Steered-v0", Steered)
    yield
    for name in ("Scripted-v0", "Scripted-v2", "Scripted-v10", "Steered-v0"):
        del gymnasium.registry[name]


def made(count: int = 1, **settings: Any) -> Any:
    options = settings.pop("options", {})
    return Gymnasium(id=settings.pop("id", "Scripted-v0"), options=options, **settings).make(count)


PARTS = {
    "CartPole": Gymnasium(id="CartPole-v1"),
    "short CartPole": Gymnasium(id="CartPole-v1", max_episode_steps=15),
    "Pendulum": Gymnasium(id="Pendulum-v1", options={"g": 9.81}),
    "MountainCar": Gymnasium(id="MountainCar-v0"),
    "FrozenLake": Gymnasium(id="FrozenLake-v1"),
    "reused buffer": Gymnasium(id="Scripted-v2"),
    "Dict": Gymnasium(id="Scripted-v2", options={"kind": "dict"}),
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
        ("GymVectorEnvironment", "GymEnvironment"),
    )
    assert [(one.name, one.type, one.required) for one in spec.params or ()] == [
        ("id", "str", True),
        ("options", "table", False),
        ("max_episode_steps", "int", False),
    ]


def test_importing_the_part_does_not_import_gymnasium() -> None:
    code = "import sys, coach_gymnasium.environment; print('gymnasium' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_spaces_of_cartpole() -> None:
    environment = made(id="CartPole-v1")
    observed = environment.spaces.observation["observation"]
    assert (observed.shape, observed.dtype, environment.spaces.action) == ((4,), "float32", Discrete(2))
    assert observed.high[0] == pytest.approx(4.8)
    assert observed.high[1] == np.inf


@pytest.mark.parametrize("count", [1, 2])
def test_a_step_by_hand(count: int) -> None:
    """Slow twin: the same episodes played with gymnasium alone."""
    ours, alone = made(count, id="CartPole-v1"), gymnasium.make("CartPole-v1")
    last = count - 1
    np.testing.assert_array_equal(ours.reset(range(count), [3] * count)["observation"][last], alone.reset(seed=3)[0])
    for action in [0, 1, 1] * 30:
        step = ours.step(np.full(count, action))
        obs, reward, terminated, truncated, _ = alone.step(action)
        np.testing.assert_array_equal(step.obs["observation"][last], obs)
        assert (step.reward[last], step.terminated[last], step.truncated[last]) == (reward, terminated, truncated)
        if terminated:
            break
    assert terminated


def test_time_limit_truncates_and_does_not_terminate() -> None:
    environment = made(2, max_episode_steps=2)
    environment.reset([0, 1], [1, 2])
    first, second = environment.step(np.array([0, 1])), environment.step(np.array([0, 1]))
    assert first.truncated.tolist() == [False, False]
    assert second.truncated.tolist() == [True, True]
    assert second.terminated.tolist() == [False, False]
    assert second.obs["observation"].tolist() == [[0.75, 0.0, 0.75]] * 2  # the third thing shown, not the first again


def test_discrete_actions_count_from_zero_whatever_gymnasium_does() -> None:
    environment = made()
    environment.reset([0], [0])
    environment.step(np.array([0]))
    environment.step(np.array([1]))
    told = environment._envs[0].unwrapped.told
    assert told == [5, 6]
    assert all(type(action) is int for action in told)


def test_box_actions_keep_shape_and_type_and_are_copies() -> None:
    environment = made(id="Steered-v0")
    assert environment.spaces.action == Box((2,), -1.0, 1.0)
    environment.reset([0], [0])
    actions = np.array([[0.5, -0.5]], np.float32)
    environment.step(actions)
    told = environment._envs[0].unwrapped.told[0]
    assert (told.tolist(), told.dtype) == ([0.5, -0.5], np.float64)
    assert not np.shares_memory(told, actions)


def test_discrete_observations_are_one_hot() -> None:
    environment = made(2, options={"kind": "discrete"})
    assert environment.spaces.observation == {"observation": Box((4,), 0.0, 1.0)}
    assert environment.reset([0, 1], [0, 0])["observation"].tolist() == [[0, 0, 1, 0]] * 2


def test_bytes_stay_bytes() -> None:
    environment = made(options={"kind": "image"})
    obs = environment.reset([0], [0])["observation"]
    assert (obs.shape, obs.dtype, obs[0, 0, 0, 0]) == ((1, 4, 4, 3), np.uint8, 7)


def test_dict_observations_keep_their_names() -> None:
    obs = made(options={"kind": "dict"}).reset([0], [0])
    assert {name: values.tolist() for name, values in obs.items()} == {
        "place": [[0.25, 0.0, 0.25]],
        "room": [[0.0, 1.0]],
    }


@pytest.mark.parametrize(
    ("count", "options", "message"),
    [
        (
            1,
            {"reward": float("nan")},
            "Scripted-v0, environment 0: the reward is nan - mend the environment or its options",
        ),
        (
            3,
            {"reward": float("inf")},
            "Scripted-v0, environment 0: the reward is inf - mend the environment or its options",
        ),
    ],
)
def test_bad_rewards(count: int, options: dict[str, Any], message: str) -> None:
    environment = made(count, options=options)
    environment.reset(range(count), range(count))
    with pytest.raises(BadData) as caught:
        environment.step(np.zeros(count, int))
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [float("nan"), float("-inf")])
def test_bad_observations_name_the_environment(value: float) -> None:
    environment = made(2)
    environment.reset([0, 1], [0, 0])
    environment._envs[1].unwrapped.value = value
    with pytest.raises(BadData) as caught:
        environment.step(np.array([0, 0]))
    assert str(caught.value) == (
        f"Scripted-v0, environment 1: observation 'observation' holds {value} at place 1 - "
        f"mend the environment or its options"
    )


@pytest.mark.parametrize("size", [1, 24, 25, 400])
def test_one_bad_number_is_found_among_few_and_many(size: int) -> None:
    values = np.full(size, 3e38, np.float32)
    assert _finite(values)
    values[-1] = np.nan
    assert not _finite(values)


def test_wrong_shape() -> None:
    with pytest.raises(BadData, match=r"observation 'observation' has shape \(3,\), promised was \(2,\)"):
        made(options={"kind": "short"}).reset([0], [0])


REFUSED = [
    (
        {"id": "CartPole-v7"},
        UnknownName,
        "there is no environment 'CartPole-v7' - did you mean 'CartPole-v1'? known: CartPole-v0, CartPole-v1",
    ),
    (
        {"id": "CartPole"},
        UnknownName,
        "there is no environment 'CartPole' - did you mean 'CartPole-v1'? known: CartPole-v0, CartPole-v1",
    ),
    (
        {"id": "Scripted-v3"},
        UnknownName,
        (
            "there is no environment 'Scripted-v3' - "
            "did you mean 'Scripted-v10'? known: Scripted-v0, Scripted-v2, Scripted-v10"
        ),
    ),
    (
        {"id": "no_such_module:Env-v0"},
        UnknownName,
        "'no_such_module' cannot be imported (No module named 'no_such_module') - install the package that holds it",
    ),
    ({"id": "Taxi-v3"}, UnknownName, "there is no environment 'Taxi-v3' - did you mean 'Taxi-v4'? known: Taxi-v4"),
]


@pytest.mark.parametrize(("settings", "kind", "message"), REFUSED)
def test_unknown_names(settings: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        made(**settings)
    assert str(caught.value) == f"environment.id: {message}"


def test_a_misspelt_name_gets_the_nearest() -> None:
    with pytest.raises(
        UnknownName, match=r"there is no environment 'CartPol-v1' - did you mean 'CartPole-v1'\? known: "
    ):
        made(id="CartPol-v1")


def test_an_unknown_namespace_says_how_to_name_its_package() -> None:
    with pytest.raises(UnknownName, match="if a package registers it, name that first: 'package:Nowhere/Pong-v5'"):
        made(id="Nowhere/Pong-v5")


def test_a_class_can_be_named() -> None:
    name = f"{__name__}:Scripted"
    sys.modules.setdefault(__name__, sys.modules[Scripted.__module__])
    environment = Gymnasium(id=name, max_episode_steps=1).make(1)
    environment.reset([0], [0])
    assert environment.step(np.array([0])).truncated.tolist() == [True]


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
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSetting) as caught:
        made(**settings)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (
            gymnasium.error.DependencyNotInstalled(
                'Box2D is not installed, run `pip install swig` then `pip install "gymnasium[box2d]"`'
            ),
            "pip install 'gymnasium[box2d]'",
        ),
        (ModuleNotFoundError("No module named 'jax'", name="jax"), "needs the package 'jax', which is not installed"),
        (ImportError("moved to another project"), "cannot be used here: moved to another project"),
    ],
)
def test_missing_packages(monkeypatch: pytest.MonkeyPatch, raised: Exception, message: str) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise raised

    monkeypatch.setattr(Scripted, "__init__", refuse)
    with pytest.raises(BadSetting) as caught:
        made()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"options": {"kind": "text"}},
            "Scripted-v0: observation 'mission' is a Text space; supported are Box, Discrete, and Dict of these",
        ),
        (
            {"id": "Blackjack-v1"},
            "Blackjack-v1: observation 'observation' is a Tuple space; supported are Box, Discrete, and Dict of these",
        ),
        (
            {"id": "Steered-v0", "options": {"whole": True}},
            "Steered-v0: actions are a Box of int64; supported are Discrete and Box of floats",
        ),
    ],
)
def test_unsupported_spaces(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(Mismatch) as caught:
        made(**settings)
    assert str(caught.value) == message


def test_environments_already_made_are_closed_when_a_later_one_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[int] = []
    real = gymnasium.make

    def make(*given: Any, **named: Any) -> Any:
        if len(closed) == 0 and getattr(make, "calls", 0) == 2:
            raise OSError("no more")
        make.calls = getattr(make, "calls", 0) + 1  # type: ignore[attr-defined]
        env = real(*given, **named)
        monkeypatch.setattr(env, "close", lambda: closed.append(1))
        return env

    monkeypatch.setattr(gymnasium, "make", make)
    with pytest.raises(BadSetting, match="Scripted-v0 refuses to be made"):
        made(3)
    assert closed == [1, 1]


def test_advice_about_old_versions_stays_quiet() -> None:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        made(id="CartPole-v0").close()
    assert heard == []


def test_render() -> None:
    part = Gymnasium(id="Scripted-v0")
    assert part.make(1).render() is None
    environment = part.make(2, render=True)
    environment.reset([0, 1], [0, 0])
    picture = environment.render()
    assert picture is not None
    assert (picture.shape, picture.dtype, picture.max()) == ((8, 9, 3), np.uint8, 200)


def test_render_cartpole_without_a_screen() -> None:
    environment = Gymnasium(id="CartPole-v1").make(1, render=True)
    environment.reset([0], [0])
    picture = environment.render()
    environment.close()
    assert picture is not None
    assert picture.shape == (400, 600, 3)
    assert len(np.unique(picture)) > 2  # a cart, a pole and a line on white


def test_render_without_pygame(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_self: Any) -> None:
        raise gymnasium.error.DependencyNotInstalled(
            'pygame is not installed, run `pip install "gymnasium[classic-control]"`'
        )

    monkeypatch.setattr(Scripted, "render", refuse)
    environment = Gymnasium(id="Scripted-v0").make(1, render=True)
    environment.reset([0], [0])
    with pytest.raises(BadSetting, match=r"pip install 'gymnasium\[classic-control\]'"):
        environment.render()


def test_close_reaches_every_environment_once() -> None:
    environment = made(3)
    inner = [env.unwrapped for env in environment._envs]
    environment.close()
    environment.close()
    assert [env.closed for env in inner] == [1, 1, 1]
