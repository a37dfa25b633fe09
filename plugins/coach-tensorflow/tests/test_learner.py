"""What only TensorFlow's learner has: two ways of calling; and the update against Keras's own step.

What every engine promises is tested beside the update rule, in coach-networks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from toy_problems import drawn

from coachcore.api import Sample

Make = Callable[..., Any]


def test_the_fast_and_the_public_call_give_equal_bits(learner: Make) -> None:
    fast, public = learner(hidden=(8,)), learner(hidden=(8,), fast_call=False)
    for call in range(3):
        mine, theirs = fast.train(drawn(2, seed=call), 0.01), public.train(drawn(2, seed=call), 0.01)
        assert all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))


@pytest.mark.parametrize("fused", [1, 6])
def test_equal_to_a_plain_keras_step(learner: Make, fused: int) -> None:
    import keras
    import tensorflow as tf

    made = learner(hidden=(8, 8), target_every="1000 updates")
    segment, flat = made._segments.by_name["main"], made.acting()[1]
    layers = [keras.layers.Dense(8, activation="relu"), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(2)]
    model = keras.Sequential([keras.Input((3,)), *layers])
    model.set_weights([np.asarray(weight) for weight in segment.weights((flat,))])
    target = keras.models.clone_model(model)
    target.set_weights(model.get_weights())
    optimizer, sample = keras.optimizers.Adam(0.01), drawn(6)
    for rows in sample.packed:
        wanted = rows[:, 4] + rows[:, 5] * tf.reduce_max(target(rows[:, 6:]), axis=1)
        with tf.GradientTape() as tape:
            value = tf.gather(model(rows[:, :3]), rows[:, 3].astype(int), batch_dims=1)
            loss = tf.reduce_mean(0.5 * tf.square(value - wanted))
        optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
    for start in range(0, 6, fused):
        part = slice(start, start + fused)
        trained = made.train(Sample(sample.rows[part], sample.packed[part]), 0.01)
    theirs = np.concatenate([weight.ravel() for weight in model.get_weights()])
    np.testing.assert_allclose(trained.weights, theirs, rtol=1e-3, atol=1e-5)
