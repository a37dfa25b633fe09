"""Observations and actions on their way between Gymnasium and Coach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces as gym

from coach_gymnasium.names import NAMES, names_of
from coach_gymnasium.translate import _finite, observations
from coachcore.api import BadData, Box, Discrete, Mismatch

Make = Callable[..., Any]


def test_spaces_of_cartpole(made: Make) -> None:
    environment = made(id="CartPole-v1")
    observed = environment.spaces.observation["observation"]
    assert (observed.shape, observed.dtype, environment.spaces.action) == ((4,), "float32", Discrete(2))
    assert observed.high[0] == pytest.approx(4.8)
    assert observed.high[1] == np.inf


def test_discrete_actions_count_from_zero_whatever_gymnasium_does(made: Make) -> None:
    environment = made()
    environment.reset([0], [0])
    environment.step(np.array([0]))
    environment.step(np.array([1]))
    told = environment._envs[0].unwrapped.told
    assert told == [5, 6]
    assert all(type(action) is np.int64 for action in told)


def test_box_actions_keep_shape_and_type_and_are_copies(made: Make) -> None:
    environment = made(id="Steered-v0")
    assert environment.spaces.action == Box((2,), -1.0, 1.0)
    environment.reset([0], [0])
    actions = np.array([[0.5, -0.5]], np.float32)
    environment.step(actions)
    told = environment._envs[0].unwrapped.told[0]
    assert (told.tolist(), told.dtype) == ([0.5, -0.5], np.float64)
    assert not np.shares_memory(told, actions)


def test_discrete_observations_are_one_hot(made: Make) -> None:
    environment = made(2, options={"kind": "discrete"})
    assert environment.spaces.observation == {"observation": Box((4,), 0.0, 1.0)}
    assert environment.reset([0, 1], [0, 0])["observation"].tolist() == [[0, 0, 1, 0]] * 2


def test_discrete_observations_outside_their_space(made: Make) -> None:
    environment = made(options={"kind": "discrete"})
    environment._envs[0].unwrapped.shown = lambda: np.int64(14)
    with pytest.raises(
        BadData, match="Scripted-v0, environment 0: observation 'observation' is 14, outside its own space"
    ):
        environment.reset([0], [0])


def test_bytes_stay_bytes(made: Make) -> None:
    environment = made(options={"kind": "image"})
    obs = environment.reset([0], [0])["observation"]
    assert (obs.shape, obs.dtype, obs[0, 0, 0, 0]) == ((1, 4, 4, 3), np.uint8, 7)


def test_dict_observations_keep_their_names(made: Make) -> None:
    obs = made(options={"kind": "dict"}).reset([0], [0])
    assert {name: values.tolist() for name, values in obs.items()} == {
        "place": [[0.25, 0.0, 0.25]],
        "room": [[0.0, 1.0]],
    }


def test_only_what_is_asked_for_is_shown(made: Make) -> None:
    environment = made(options={"kind": "mixed"}, observations=("place",))
    assert list(environment.spaces.observation) == ["place"]
    assert {name: values.tolist() for name, values in environment.reset([0], [0]).items()} == {
        "place": [[0.25, 0.0, 0.25]]
    }
    assert environment.step(np.array([0])).obs["place"].tolist() == [[0.5, 0.0, 0.5]]
    assert list(made(observations=("observation",)).spaces.observation) == ["observation"]


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("CartPole-v1", ("cart position", "cart velocity", "pole angle", "pole angular velocity")),
        ("MountainCar-v0", ("position", "velocity")),
        ("Pendulum-v1", ("cos", "sin", "angular velocity")),
        ("Scripted-v0", ()),
    ],
)
def test_names_of_components(made: Make, name: str, names: tuple[str, ...]) -> None:
    assert made(id=name).spaces.observation["observation"].names == names


def test_names_are_known_behind_a_package_and_only_for_as_many_components() -> None:
    assert names_of("gymnasium.envs:Acrobot-v1", 6)[0] == "cos 1"
    assert names_of("CartPole-v1", 3) == ()
    assert {name: len(names) for name, names in NAMES.items()}["LunarLander"] == 8


@pytest.mark.parametrize("size", [1, 24, 25, 400])
def test_one_bad_number_is_found_among_few_and_many(size: int) -> None:
    values = np.full(size, 3e38, np.float32)
    assert _finite(values)
    values[-1] = np.nan
    assert not _finite(values)


@pytest.mark.parametrize("count", [1, 2])
def test_wrong_shape(made: Make, count: int) -> None:
    with pytest.raises(BadData) as caught:
        made(count, options={"kind": "short"}).reset(range(count), [0] * count)
    assert str(caught.value) == (
        "Scripted-v0, environment 0: observation 'observation' has shape (3,), promised was (2,)"
    )


@pytest.mark.parametrize("value", [0.5, -1.0, 256.0, np.nan])
@pytest.mark.parametrize("count", [1, 2])
def test_wrong_dtype(made: Make, count: int, value: float) -> None:
    with pytest.raises(BadData) as caught:
        made(count, options={"kind": "no bytes", "value": value}).reset(range(count), [0] * count)
    assert str(caught.value) == (
        "Scripted-v0, environment 0: observation 'observation' holds numbers that are no bytes, "
        "promised were 0 to 255 - mend the environment or its options"
    )


@pytest.mark.parametrize("count", [1, 2])
def test_whole_numbers_are_bytes_whatever_they_come_as(made: Make, count: int) -> None:
    seen = made(count, options={"kind": "no bytes", "value": 7.0}).reset(range(count), [0] * count)
    np.testing.assert_array_equal(seen["observation"], np.full((count, 4, 4, 3), 7, np.uint8), strict=True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"options": {"kind": "graph"}},
            (
                "Scripted-v0: observation 'roads' is a Graph space; supported are Box, Discrete, MultiDiscrete, "
                "MultiBinary, Text, and Dict and Tuple of these; choose what the agent sees with "
                "environment.observations"
            ),
        ),
        (
            {"options": {"kind": "mixed"}, "observations": ("plce",)},
            "Scripted-v0: there is no observation 'plce' - did you mean 'place'? known: mission, place",
        ),
        (
            {"observations": ("image",)},
            "Scripted-v0: there is no observation 'image' - known: observation",
        ),
        (
            {"observations": ("observation-0",), "options": {"kind": "tuple"}},
            (
                "Scripted-v0: there is no observation 'observation-0' - did you mean 'observation-1'? "
                "known: observation-0-left, observation-0-right, observation-1"
            ),
        ),
    ],
)
def test_unsupported_spaces(made: Make, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(Mismatch) as caught:
        made(**settings)
    assert str(caught.value) == message


def test_parts_of_a_tuple_are_numbered_and_deeper_ones_called_by_the_whole_way(made: Make) -> None:
    obs = made(options={"kind": "tuple"}).reset([0], [0])
    assert {name: values.tolist() for name, values in obs.items()} == {
        "observation-0-left": [[0.0, 1.0, 0.0, 1.0, 0.0]],
        "observation-0-right": [[1.0, 0.0]],
        "observation-1": [[0.0, 1.0, 0.0, 1.0, 0.0, 0.0]],
    }


def test_blackjack_shows_three_choices(made: Make) -> None:
    spaces = made(id="Blackjack-v1").spaces.observation
    assert {name: space.shape for name, space in spaces.items()} == {
        "observation-0": (32,),
        "observation-1": (11,),
        "observation-2": (2,),
    }


SHOWN = (
    gym.Box(-1, 1, (2, 3), np.float64),
    gym.Box(-5, 5, (), np.int64),
    gym.Discrete(4, start=-2),
    gym.MultiDiscrete([2, 3, 4], start=[1, -1, 0]),
    gym.MultiDiscrete([[2, 3], [4, 5]]),
    gym.MultiBinary((2, 2)),
    gym.Text(4, charset="abc "),
    gym.Dict({"one": gym.Tuple((gym.Discrete(2), gym.Box(0, 255, (2, 2, 3), np.uint8))), "two": gym.Text(2)}),
)


@pytest.mark.parametrize("space", SHOWN, ids=str)
def test_whatever_gymnasium_draws_is_read_as_promised(space: Any) -> None:
    space.seed(0)
    shown = observations(space, "Any-v0")
    raws = [space.sample() for _ in range(5)]
    for one in shown:
        values = one.read_all(raws, "Any-v0", range(5))
        assert one.space.contains(values)
        assert values.dtype == one.space.dtype
        np.testing.assert_array_equal(values, np.stack([one.read(raw, "Any-v0", 0) for raw in raws]))


def test_different_values_are_read_differently() -> None:
    several, text = gym.MultiDiscrete([2, 3], start=[1, 5]), gym.Text(2, min_length=0, charset="ab")
    values = [np.array([one, other]) for one in (1, 2) for other in (5, 6, 7)]
    assert len({observations(several, "Any-v0")[0].read(value, "", 0).tobytes() for value in values}) == 6
    words = ["", "a", "b", "aa", "ab", "ba", "bb"]
    assert len({observations(text, "Any-v0")[0].read(word, "", 0).tobytes() for word in words}) == 7


@pytest.mark.parametrize(
    ("space", "raw", "said"),
    [
        (gym.MultiDiscrete([2, 3]), np.array([0, 3]), "is [0 3], outside its own space"),
        (gym.MultiDiscrete([2, 3]), np.array([0]), "is [0], outside its own space"),
        (gym.Text(2, charset="ab"), "abc", "is abc, outside its own space"),
        (gym.Text(2, charset="ab"), "ax", "is ax, outside its own space"),
    ],
)
def test_values_outside_of_their_space(space: Any, raw: Any, said: str) -> None:
    with pytest.raises(BadData) as caught:
        observations(space, "Any-v0")[0].read(raw, "Any-v0", 3)
    assert str(caught.value) == f"Any-v0, environment 3: observation 'observation' {said}"
