"""Every installed agent keeps the laws of agents, in every usual action space that it serves."""

from __future__ import annotations

from collections.abc import Mapping

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


def test_gradients_reach_the_network_that_moves_and_no_target(part):
    """What a slow copy says is what is wanted, never what is moved; others are passed through at most."""
    tensorflow = pytest.importorskip("tensorflow", reason="gradients need a backend")
    keras = pytest.importorskip("keras", reason="gradients need a backend")
    if keras.config.backend() != "tensorflow":
        pytest.skip(f"Keras runs on {keras.config.backend()} here, this test takes gradients in TensorFlow")
    for tried in served(part):
        batch, nets = example_batch(part, tried, SIZE), example_nets(part, tried)
        for update in part.updates():
            slow, fast = tensorflow.Variable(1.0), tensorflow.Variable(1.0)
            scaled = {
                name: Pair(times(fast, pair.online) if name == update.moves else pair.online, times(slow, pair.target))
                for name, pair in nets.items()
            }
            through = {name: Pair(felt(keras.ops, pair.online), pair.target) for name, pair in scaled.items()}
            with tensorflow.GradientTape() as tape:
                loss = update.loss(through, batch).loss
                parts = loss.values() if isinstance(loss, Mapping) else [loss]
                total = sum(tensorflow.reduce_sum(values) for values in parts)
            moved, leaked = tape.gradient(total, [fast, slow])
            assert moved is not None, f"{update.moves}: no gradient reaches the network that the update moves"
            assert leaked is None or float(leaked) == 0.0, f"{update.moves}: a gradient reaches a target"


def times(factor, net):
    return lambda inputs: {slot: factor * values for slot, values in net(inputs).items()}


def felt(ops, net):
    """The network, but what it is shown of an action leaves a trace in its gradient."""

    def called(inputs):
        outputs = net(inputs)
        if "action" not in inputs:
            return outputs
        shown = ops.sum(ops.cast(inputs["action"], "float32"))
        return {slot: values + (shown - ops.stop_gradient(shown)) for slot, values in outputs.items()}

    return called
