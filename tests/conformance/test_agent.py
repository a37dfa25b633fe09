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
    keras = pytest.importorskip("keras", reason="gradients need a backend")
    slopes = SLOPES.get(keras.config.backend())
    if slopes is None:
        pytest.skip(f"Keras runs on {keras.config.backend()} here; this test knows {', '.join(SLOPES)}")
    for tried in served(part):
        batch, nets = example_batch(part, tried, SIZE), example_nets(part, tried)
        for update in part.updates():

            def total(fast, slow, update=update, nets=nets, batch=batch):
                scaled = {
                    name: Pair(
                        times(fast, pair.online) if name == update.moves else pair.online, times(slow, pair.target)
                    )
                    for name, pair in nets.items()
                }
                through = {name: Pair(*(felt(keras.ops, net) for net in pair)) for name, pair in scaled.items()}
                loss = update.loss(through, batch).loss
                parts = loss.values() if isinstance(loss, Mapping) else [loss]
                return sum(keras.ops.sum(values) for values in parts)

            moved, leaked = slopes(total)
            assert moved, f"{update.moves}: no gradient reaches the network that the update moves"
            assert not leaked, f"{update.moves}: a gradient reaches a target"


def by_tape(total):
    """The slopes of `total(fast, slow)` where both are 1, in TensorFlow."""
    import tensorflow as tf

    both = [tf.Variable(1.0), tf.Variable(1.0)]
    with tf.GradientTape() as tape:
        value = total(*both)
    return [0.0 if slope is None else float(slope) for slope in tape.gradient(value, both)]


def by_tracing(total):
    """The slopes of `total(fast, slow)` where both are 1, in JAX."""
    import jax

    return [float(slope) for slope in jax.grad(total, argnums=(0, 1))(1.0, 1.0)]


SLOPES = {"tensorflow": by_tape, "jax": by_tracing}


def times(factor, net):
    """At 1 the network as it is; its slope shows also where what it says is 0, or the same for all."""
    return lambda inputs, **asked: {
        slot: factor * values + (factor - 1.0) for slot, values in net(inputs, **asked).items()
    }


def felt(ops, net):
    """The network, but what it is shown of an action leaves a trace in its gradient."""

    def called(inputs, **asked):
        outputs = net({name: ops.stop_gradient(values) for name, values in inputs.items()}, **asked)  # made up in NumPy
        if "action" not in inputs:
            return outputs
        shown = ops.sum(ops.cast(inputs["action"], "float32"))
        return {slot: values + (shown - ops.stop_gradient(shown)) for slot, values in outputs.items()}

    return called
