"""What every engine works out first: networks, who acts, knobs, and what a state must hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from toy_problems import Toy, loss_of, problem

from coach_networks.blueprint import Blueprint
from coach_networks.layers.parts import BatchNorm
from coachcore.api import BadCheckpoint, Mismatch, NetworkSpec, Sample, Update

Q = {"q": "action-values"}


def several(**given: Any) -> Blueprint:
    specs = {
        "actor": NetworkSpec(slots=Q),
        "critic": NetworkSpec(slots=Q, target=True, acts=False),
        "free": NetworkSpec(free={"x": 7.0}, acts=False),
    }
    return Blueprint.of(problem(Toy(specs=specs, steps=(Update("critic", loss_of("critic")),)), **given))


def test_networks_lie_one_behind_the_other() -> None:
    made = several()
    assert (made.acting, made.slow) == ("actor", ("critic",))
    assert made.vector().shape == (17,)
    assert made.vector().dtype == np.float32
    assert np.array_equal(made.vector(("critic",)), made.vector()[8:16])
    assert made.vector()[16] == 7.0
    assert made.vector(()).shape == (0,)
    assert all(word in made.summary() for word in ("actor\n", "critic\n", "free\n", "head_q"))


def test_equal_networks_of_one_agent_begin_apart_and_follow_from_the_seed() -> None:
    made = several(seed=1)
    assert not np.array_equal(made.vector(("actor",)), made.vector(("critic",)))
    assert np.array_equal(made.vector(), several(seed=1).vector())
    assert not np.array_equal(made.vector()[:8], several(seed=2).vector()[:8])


@pytest.mark.parametrize(
    ("given", "apart"),
    [
        ({}, False),
        ({"gradient_clip": 1.0}, False),
        ({"gradient_clip": 1.0, "gradient_clip_by": "norm"}, True),
        ({"gradient_clip_by": "norm"}, False),
        ({"hidden": (BatchNorm(),)}, True),
    ],
)
def test_weights_are_told_apart_where_something_asks_for_it(given: dict[str, Any], apart: bool) -> None:
    assert several(**given).apart is apart


def test_knobs_are_in_alphabetical_order() -> None:
    class Adapting(Toy):
        def begin(self) -> Any:
            return 3.0

        def knobs(self, state: Any, step: int) -> dict[str, float]:
            return {"z": state, "a": step}

    assert Blueprint.of(problem(Adapting())).knobs == ("a", "z")
    assert Blueprint.of(problem()).knobs == ()


@pytest.mark.parametrize("acts", [(), ("a", "b")])
def test_exactly_one_network_acts(acts: tuple[str, ...]) -> None:
    specs = {name: NetworkSpec(slots=Q, acts=name in acts) for name in ("a", "b")}
    with pytest.raises(Mismatch, match=r"exactly one network chooses actions, but (none|\['a', 'b'\]) do"):
        Blueprint.of(problem(Toy(specs=specs)))


def test_observations_are_seen_in_float32() -> None:
    seen = several().seen({"observation": np.ones((2, 3)), "other": np.zeros(2)})
    assert {name: (values.dtype, values.shape) for name, values in seen.items()} == {
        "observation": (np.dtype("float32"), (2, 3))
    }


@pytest.mark.parametrize(
    ("packed", "weight", "words"),
    [
        (np.zeros((1, 4, 8)), None, r"\[K, B, 9\], got \(1, 4, 8\)"),
        (np.zeros((4, 9)), None, r"\[K, B, 9\], got \(4, 9\)"),
        (np.zeros((1, 4, 9)), np.ones((1, 4)), "weighted = False"),
    ],
)
def test_a_sample_of_other_rows_is_refused(packed: Any, weight: Any, words: str) -> None:
    with pytest.raises(Mismatch, match=words):
        several().check(Sample(np.zeros((1, 4)), packed, weight))


def state_of(made: Blueprint) -> dict[str, Any]:
    return {"weights": made.vector(), "updates": 3, "noise": made.streams.state()}


def test_a_state_is_taken_whole() -> None:
    made, other = several(seed=1), several(seed=2)
    made.noise.standard_normal(5)
    found = other.restored(state_of(made), {"weights": 17})
    assert np.array_equal(found["weights"], made.vector())
    assert np.array_equal(other.noise.standard_normal(4), made.noise.standard_normal(4))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"weights": np.zeros(16)}, "weights should be 17 numbers"),
        ({"weights": None}, "weights should be 17 numbers"),
        ({"updates": 3.0}, "whole number, got 3.0"),
        ({"noise": None}, "where a stream stands, got None"),
        ({"noise": {"noise": {"state": {"state": "much"}}}}, "where a stream stands"),
    ],
)
def test_a_state_that_does_not_fit_changes_nothing(change: dict[str, Any], words: str) -> None:
    made = several()
    before = made.streams.state()
    with pytest.raises(BadCheckpoint, match=words):
        made.restored(state_of(made) | change, {"weights": 17})
    assert made.streams.state() == before
