"""Every installed agent keeps the laws of agents, in every usual action space that it serves."""

from __future__ import annotations

import pytest

from coachcore.testing.agent import LAWS, SIZE
from coachcore.testing.trial import TRIALS, example_batch, example_nets, serves
from coachcore.types import Pair

KIND = "agent"


def served(part):
    return [tried for tried in TRIALS if serves(part, tried)]


def test_law(part, law):
    assert LAWS
    for tried in served(part):
        law(part, tried)


def test_a_usual_action_space_is_served(part):
    assert served(part), f"{part} serves none of the usual action spaces"


def test_no_gradient_reaches_a_target(part):
    """What the slow copy says is what is wanted, never what is moved."""
    tensorflow = pytest.importorskip("tensorflow", reason="gradients need a backend")
    keras = pytest.importorskip("keras", reason="gradients need a backend")
    if keras.config.backend() != "tensorflow":
        pytest.skip(f"Keras runs on {keras.config.backend()} here, this test takes gradients in TensorFlow")
    for tried in served(part):
        batch, nets = example_batch(part, tried, SIZE), example_nets(part, tried)
        for update in part.updates():
            slow, fast = tensorflow.Variable(1.0), tensorflow.Variable(1.0)
            scaled = {name: Pair(times(fast, pair.online), times(slow, pair.target)) for name, pair in nets.items()}
            with tensorflow.GradientTape() as tape:
                loss = tensorflow.reduce_sum(update.loss(scaled, batch).loss)
            moved, leaked = tape.gradient(loss, [fast, slow])
            assert moved is not None, f"{update.moves}: no gradient reaches the network that the update moves"
            assert leaked is None or float(leaked) == 0.0, f"{update.moves}: a gradient reaches a target"


def times(factor, net):
    return lambda inputs: {slot: factor * values for slot, values in net(inputs).items()}
