"""Environments that cannot be made, each refusal's text."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest

from coach_gymnasium.environment import Gymnasium
from coachcore.api import BadSetting, UnknownName

Make = Callable[..., Any]


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
def test_unknown_names(made: Make, settings: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        made(**settings)
    assert str(caught.value) == f"environment.id: {message}"


def test_a_misspelt_name_gets_the_nearest(made: Make) -> None:
    with pytest.raises(
        UnknownName, match=r"there is no environment 'CartPol-v1' - did you mean 'CartPole-v1'\? known: "
    ):
        made(id="CartPol-v1")


def test_an_unknown_namespace_says_how_to_name_its_package(made: Make) -> None:
    with pytest.raises(UnknownName, match="if a package registers it, name that first: 'package:Nowhere/Pong-v5'"):
        made(id="Nowhere/Pong-v5")


def test_an_unknown_name_like_no_other_says_so_too(made: Make) -> None:
    with pytest.raises(UnknownName, match="name that first: 'package:Zzz-Zzzzz-v0'; known: Acrobot-v1"):
        made(id="Zzz-Zzzzz-v0")


def test_wrappers_are_put_around_in_order(made: Make) -> None:
    around = ("gymnasium.wrappers:FlattenObservation", "gymnasium.wrappers:NormalizeReward")
    environment = made(2, options={"kind": "dict"}, wrappers=around)
    assert environment.reset([0, 1], [0, 0])["observation"].tolist() == [[0.25, 0.0, 0.25, 0.0, 1.0]] * 2
    assert [type(env).__name__ for env in environment._envs] == ["NormalizeReward"] * 2
    assert type(environment._envs[0].env).__name__ == "FlattenObservation"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("FlattenObservation", "'FlattenObservation' does not say where it is - write module:Class"),
        ("gymnasium.wrapers:Some", "'gymnasium.wrapers' cannot be imported"),
        ("gymnasium.wrappers:FlatenObservation", "there is no wrapper 'FlatenObservation' in gymnasium.wrappers - did"),
        ("gymnasium:Env", "there is no wrapper 'Env' in gymnasium"),
    ],
)
def test_wrappers_that_are_not_there(made: Make, name: str, message: str) -> None:
    with pytest.raises(UnknownName, match=f"environment.wrappers: {message}"):
        made(wrappers=(name,))


def test_a_wrapper_that_refuses_closes_what_was_made(
    made: Make, scripted: type[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[Any] = []

    def close(env: Any) -> None:
        closed.append(env)

    monkeypatch.setattr(scripted, "close", close)
    with pytest.raises(BadSetting, match="Scripted-v0 refuses to be made"):
        made(wrappers=("gymnasium.wrappers:GrayscaleObservation",))
    assert len(closed) == 1


def test_a_class_can_be_named(scripted: type[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("made_up_package")
    module.Mine, module.other = scripted, 3  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "made_up_package", module)
    environment = Gymnasium(id="made_up_package:Mine", max_episode_steps=1).make(1)
    environment.reset([0], [0])
    assert environment.step(np.array([0])).truncated.tolist() == [True]
    with pytest.raises(UnknownName, match="there is no environment 'made_up_package:other'"):
        Gymnasium(id="made_up_package:other").make(1)


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
def test_missing_packages(
    scripted: type[Any], made: Make, monkeypatch: pytest.MonkeyPatch, raised: Exception, message: str
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise raised

    monkeypatch.setattr(scripted, "__init__", refuse)
    with pytest.raises(BadSetting) as caught:
        made()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_environments_already_made_are_closed_when_a_later_one_fails(
    made: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_advice_about_old_versions_stays_quiet(made: Make) -> None:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        made(id="CartPole-v0").close()
    assert heard == []
