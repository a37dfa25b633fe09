"""The toys are sound parts, and their arithmetic is what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coachcore.errors import BadSetting
from coachcore.layout import Column, Layout
from coachcore.running.loop import train
from coachcore.running.machine import Machine
from coachcore.spaces import Box, Discrete, Spaces
from coachcore.testing.exploration import check_exploration
from coachcore.testing.memory import check_memory
from coachcore.testing.toys import ToyEGreedy, ToyRing, ToySigns, toy_experiment

PLACE = Spaces(observation={"observation": Box((2,))}, action=Discrete(2))
PICTURE = Spaces(observation={"eye": Box((2, 2), 0, 255, "uint8"), "place": Box(())}, action=Discrete(3))


def signs(steps: list[int], **settings: Any) -> list[tuple[float, bool, bool]]:
    environment = ToySigns(**settings).make(1)
    environment.reset([0], [1])
    shown = [environment.step(np.array([answer])) for answer in steps]
    return [(float(step.reward[0]), bool(step.terminated[0]), bool(step.truncated[0])) for step in shown]


def test_signs_by_hand() -> None:
    """PCG64(1) draws 0, 1, 1: signs -1, 1, 1."""
    environment = ToySigns(length=2).make(2, render=True)
    obs = environment.reset([0, 1], [1, 1])
    np.testing.assert_array_equal(obs["observation"], [[-1, 0, 0], [-1, 0, 0]])
    picture = environment.render()
    assert picture is not None
    assert picture.max() == 0
    step = environment.step(np.array([0, 1]))
    np.testing.assert_array_equal(step.reward, [1.0, 0.0])
    np.testing.assert_array_equal(step.obs["observation"], np.array([[1, 0.5, 0.5], [1, 0.5, 0]], np.float32))
    step = environment.step(np.array([1, 1]))
    np.testing.assert_array_equal(step.obs["observation"][:, 1:], [[1.0, 1.0], [1.0, 0.5]])
    assert step.terminated.tolist() == [True, True]


def test_signs_end_as_they_are_told() -> None:
    assert [step[1:] for step in signs([0, 0, 0], length=3)] == [(False, False), (False, False), (True, False)]
    assert [step[1:] for step in signs([0, 0], length=3, limit=2)] == [(False, False), (False, True)]
    assert [step[1:] for step in signs([0, 0], length=2, limit=2)] == [(False, False), (True, False)]


def test_signs_in_a_box() -> None:
    environment = ToySigns(actions="box").make(1)
    environment.reset([0], [1])  # the sign is -1
    assert environment.step(np.array([[-0.5]], np.float32)).reward.tolist() == [0.75]
    environment.reset([0], [1])
    assert environment.step(np.array([[7.0]], np.float32)).reward.tolist() == [0.0]


def test_signs_that_go_wrong() -> None:
    assert [np.isnan(step[0]) for step in signs([0, 0, 0], nan_at=2)] == [False, True, False]
    with pytest.raises(RuntimeError, match="toy environment 0 crashes at step 2"):
        signs([0, 0], crash_at=2)


def test_memory_and_exploration_keep_their_contracts() -> None:
    check_memory(ToyRing(capacity=64), Layout.of(PLACE))
    check_memory(ToyRing(capacity=48), Layout.of(PICTURE, (Column("extra", (2,)),)))
    for epsilon in (0.0, 0.3, 1.0):
        check_exploration(ToyEGreedy(epsilon=epsilon), Discrete(3))
    with pytest.raises(BadSetting):
        ToyRing(capacity=0)


def test_toys_learn_the_signs() -> None:
    machine = Machine(toy_experiment())
    means = [event.data["mean"] for event in train(machine) if event.kind == "evaluation"]
    machine.close()
    assert max(means) == 10.0


def test_equal_seeds_give_equal_runs() -> None:
    runs = [list(train(Machine(toy_experiment(environments=2, seed=seed)))) for seed in (4, 4, 5)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]
