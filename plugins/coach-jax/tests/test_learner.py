"""What only JAX's learner has: donated state, whole numbers of 32 bits; all else is tested in coach-networks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from toy_problems import drawn, problem

pytest.importorskip("jax")
keras = pytest.importorskip("keras")
if keras.config.backend() != "jax":
    pytest.skip(f"Keras runs on {keras.config.backend()} here", allow_module_level=True)


def made(**given: Any) -> Any:
    from coach_jax.engine import Jax

    return Jax(cache=False).make(problem(**given))


def test_each_shape_is_compiled_once() -> None:
    learner = made(executor="conv")
    for calls in (1, 3, 1, 2):
        learner.train(drawn(calls), 0.1)
    assert learner._program._cache_size() == 1  # one call an update, whatever K is
    learner = made()
    for calls in (1, 3, 1):
        learner.train(drawn(calls), 0.1)
    assert learner._program._cache_size() == 2


def test_a_state_outlives_the_buffers_it_was_read_from() -> None:
    learner = made()
    state, (_, weights) = learner.state(), learner.acting()
    kept = {name: np.array(state[name]) for name in ("weights", "target", "slot_0", "slot_1")}, np.array(weights)
    for call in range(3):
        learner.train(drawn(2, seed=call), 0.1)
    assert all(np.array_equal(state[name], value) for name, value in kept[0].items())
    assert np.array_equal(weights, kept[1])


def test_a_restored_state_is_not_donated_away() -> None:
    learner = made()
    state = learner.state()
    for _ in range(2):
        learner.restore(state)
        learner.train(drawn(1), 0.1)
    assert np.array_equal(state["weights"], made().state()["weights"])


def test_a_call_that_fails_leaves_the_learner_as_it_was() -> None:
    learner = made()
    before = learner.state()["weights"]
    with pytest.raises(KeyError):
        learner.train(drawn(1)._replace(packed=Broken()), 0.1)
    assert np.array_equal(learner.state()["weights"], before)
    learner.train(drawn(1), 0.1)


class Broken:
    shape, ndim = (1, 4, 9), 3

    def __getitem__(self, which: Any) -> Any:
        raise KeyError(which)
