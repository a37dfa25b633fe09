"""Simulators that die, hang, raise and lie, each in a process of its own."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from coach_environments.processes import Processes
from coachcore.api import BadData, BadSetting, CoachError

Make = Callable[..., Any]
Running = Callable[..., Any]


@pytest.fixture
def running() -> Iterator[Running]:
    """Processes made, and closed at the end."""
    made: list[Any] = []

    def make(part: Any, count: int = 1, *, render: bool = False, **settings: Any) -> Any:
        made.append(Processes(environment=part, **settings).make(count, render=render))
        return made[-1]

    yield make
    for environment in made:
        environment.close()


def episode(environment: Any, steps: int = 6) -> list[tuple[list[list[float]], list[float], list[bool], list[bool]]]:
    """What an episode of the actions 1, 2, 3, 4, 0, 1 ... shows, pays and says of its end."""
    everyone = range(environment.count)
    shown = [(environment.reset(everyone, [40 + env for env in everyone])["observation"].tolist(), [], [], [])]
    for index in range(steps):
        step = environment.step(np.full(environment.count, (index + 1) % 5))
        assert step.obs["picture"][0, 0, 0, 0] == step.obs["observation"][0, 1]
        ends = step.terminated.tolist(), step.truncated.tolist()
        shown.append((step.obs["observation"].tolist(), step.reward.tolist(), *ends))
    return shown


def undisturbed(steps: int = 6) -> list[Any]:
    first = [([[40.0, 0.0, 0.0]], [], [], [])]
    return first + [([[40.0, i, 0.0]], [float(i % 5)], [i == 6], [False]) for i in range(1, steps + 1)]


def test_spaces_observations_and_pictures_come_through(frail: Make, running: Running) -> None:
    environment = running(frail(), render=True)
    assert environment.spaces == frail().make(1).spaces
    assert episode(environment) == undisturbed()
    picture = environment.render()
    assert (picture.shape, picture.dtype, picture.max()) == ((4, 6, 3), np.uint8, 6)
    assert environment.news() == []
    assert running(frail()).render() is None


@pytest.mark.parametrize(
    ("how", "cause"),
    [
        ("kill", "it died of signal 9"),
        ("exit", "it ended with exit code 7"),
        ("stop", "it gave no answer within 3 s"),
        ("hang", "it gave no answer within 3 s"),
        ("raise", "RuntimeError: two lines"),
        ("sys.exit", "SystemExit: gone"),
    ],
)
def test_who_fails_once_is_replaced_and_nobody_sees_it(frail: Make, running: Running, how: str, cause: str) -> None:
    environment = running(frail(times=1, how=how), step_limit=3)
    assert episode(environment) == undisturbed()
    assert environment.news() == [{"env": 0, "cause": cause, "lost": False}]
    assert environment.news() == []


def test_killed_and_stopped_from_outside(frail: Make, running: Running) -> None:
    environment = running(frail(), 3, step_limit=3)
    pids = [one.worker._process.pid for one in environment._all]
    environment.reset([0, 1, 2], [1, 2, 3])
    environment.step(np.array([1, 1, 1]))
    os.kill(pids[0], signal.SIGKILL)
    os.kill(pids[2], signal.SIGSTOP)
    step = environment.step(np.array([2, 3, 4]))
    assert step.obs["observation"].tolist() == [[1, 2, 0], [2, 2, 0], [3, 2, 0]]
    assert step.reward.tolist() == [2.0, 3.0, 4.0]
    assert step.lost is None
    assert not (step.terminated | step.truncated).any()
    assert [(told["env"], told["cause"]) for told in environment.news()] == [
        (0, "it died of signal 9"),
        (2, "it gave no answer within 3 s"),
    ]
    now = [one.worker._process.pid for one in environment._all]
    assert [old == new for old, new in zip(pids, now, strict=True)] == [False, True, False]
    with pytest.raises(ProcessLookupError):  # the stopped one is gone, not left behind
        os.kill(pids[2], 0)


@pytest.mark.parametrize(
    ("settings", "causes"),
    [
        ({"how": "kill"}, ["it died of signal 9"] * 2),
        ({"how": "raise"}, ["RuntimeError: two lines"] * 2),
        (
            {"how": "kill", "times": 1, "drift": True},
            ["it died of signal 9", "played again, the episode shows something else"],
        ),
    ],
)
def test_who_fails_again_or_is_not_the_same_loses_the_episode(
    frail: Make, running: Running, settings: dict[str, Any], causes: list[str]
) -> None:
    environment = running(frail(**settings))
    environment.reset([0], [40])
    before = [environment.step(np.array([1])) for _ in range(2)][-1]
    step = environment.step(np.array([4]))
    np.testing.assert_array_equal(step.obs["observation"], before.obs["observation"])
    assert (step.reward.tolist(), step.terminated.tolist(), step.truncated.tolist()) == ([0.0], [False], [True])
    assert step.lost is not None
    assert step.lost.tolist() == [True]
    told = environment.news()
    assert [(one["cause"], one["lost"]) for one in told] == list(zip(causes, [False, True], strict=True))
    assert environment.reset([0], [9])["observation"][0, :2].tolist() == [9, 0]
    assert environment.step(np.array([4])).reward.tolist() == [4.0]


def test_an_episode_that_cannot_be_opened_is_tried_twice(frail: Make, running: Running) -> None:
    environment = running(frail(times=1, how="kill", where="reset"))
    assert environment.reset([0], [5])["observation"].tolist() == [[5, 0, 0]]
    assert len(environment.news()) == 1
    with pytest.raises(CoachError) as caught:
        running(frail(how="exit", where="reset")).reset([0], [5])
    assert str(caught.value) == (
        "frail, environment 0: it cannot open the episode of seed 5: it ended with exit code 7"
    )


def test_a_picture_that_fails_is_none_and_the_episode_goes_on(frail: Make, running: Running) -> None:
    environment = running(frail(times=1, how="kill", where="render"), render=True)
    environment.reset([0], [40])
    environment.step(np.array([1]))
    assert environment.render() is None
    assert environment.step(np.array([2])).obs["observation"].tolist() == [[40, 2, 0]]
    assert environment.render() is not None


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("raise", "RuntimeError: two lines"),
        ("exit", "it ended with exit code 7"),
        ("kill", "it died of signal 9"),
        ("hang", "it gave no answer within 3 s"),
    ],
)
def test_an_environment_that_cannot_be_made(frail: Make, how: str, message: str) -> None:
    with pytest.raises(BadSetting) as caught:
        Processes(environment=frail(how=how, where="make"), start_limit=3).make(2)
    assert str(caught.value) == f"environment.environment: 'frail' cannot be made in a process of its own: {message}"


def test_errors_of_coachs_own_are_raised_here(frail: Make, running: Running) -> None:
    for where in ("make", "step"):
        with pytest.raises(BadData) as caught:
            episode(running(frail(how="coach", where=where)))
        assert str(caught.value) == "frail: a number is wrong"


def test_an_observation_of_another_shape_does_not_garble_the_wire(frail: Make, running: Running) -> None:
    with pytest.raises(BadData, match=r"observation 'observation' has shape \(4,\), promised was \(3,\)"):
        episode(running(frail(how="shape")))


@pytest.mark.parametrize("how", ["", "stop", "raise"])
def test_closing_leaves_no_process_behind(frail: Make, how: str) -> None:
    environment = Processes(environment=frail(how=how, where="close")).make(2)
    pids = [one.worker._process.pid for one in environment._all]
    environment.close()
    environment.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_what_a_simulator_prints_stays_out_of_standard_output(
    frail: Make, running: Running, capfd: pytest.CaptureFixture[str]
) -> None:
    episode(running(frail()))
    assert capfd.readouterr().out == ""
