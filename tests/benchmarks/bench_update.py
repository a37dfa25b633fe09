"""One DQN update, batch 64, one thread: this engine and a plain Keras step with Keras Adam, in turns in one process.

Both go from a batch in NumPy to priorities and policy weights in NumPy. Run:

    python tests/benchmarks/bench_update.py [--rounds 15]
"""

from __future__ import annotations

import argparse
import os
from functools import partial

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from side_by_side import in_turns, table

from coachcore.api import Box, Discrete, Layout, LearnerSettings, NetworkPlan, Problem, Sample, Spaces

BATCH, FUSED = 64, 16
SPACES = Spaces(observation={"observation": Box((4,))}, action=Discrete(2))


def samples(fused: int, rng: np.random.Generator) -> Sample:
    """K minibatches of random CartPole-like transitions."""
    packed = rng.standard_normal((fused, BATCH, 11)).astype(np.float32)  # [K, B, W]
    packed[:, :, 4] = rng.integers(0, 2, (fused, BATCH))
    packed[:, :, 6] = 0.99
    return Sample(np.zeros((fused, BATCH), np.int64), packed)


def ours(width: int, *, fast_call: bool = True) -> object:
    """A learner for DQN with two layers of `width`."""
    from coach_networks.embedders.vector import Vector
    from coach_networks.heads.q import Q
    from coach_networks.middlewares.dense import Dense
    from coach_tensorflow.engine import TensorFlow
    from coach_value.dqn import DQN

    agent = DQN()
    plan = NetworkPlan(
        spec=agent.networks(SPACES)["main"],
        embedders={"observation": Vector(scheme=(width, width))},
        middleware=Dense(scheme="empty"),
        heads={"q": Q()},
    )
    problem = Problem(
        agent=agent,
        networks={"main": plan},
        spaces=SPACES,
        layout=Layout.of(SPACES),
        settings=LearnerSettings(batch_size=BATCH),
    )
    return TensorFlow(fast_call=fast_call).make(problem)


def plain(width: int) -> object:
    """The same update as Keras's own guides write it: two models, Keras Adam, one compiled step."""
    import keras
    import tensorflow as tf

    def model() -> keras.Model:
        hidden = [keras.layers.Dense(width, activation="relu") for _ in range(2)]
        return keras.Sequential([keras.Input((4,)), *hidden, keras.layers.Dense(2)])

    online, target, optimizer, huber = (
        model(),
        model(),
        keras.optimizers.Adam(2.5e-4),
        keras.losses.Huber(reduction=None),
    )
    target.set_weights(online.get_weights())
    optimizer.build(online.trainable_variables)

    @tf.function(jit_compile=True)
    def step(obs, action, reward, discount, after):
        wanted = reward + discount * tf.reduce_max(target(after), axis=1)
        with tf.GradientTape() as tape:
            value = tf.gather(online(obs), action, batch_dims=1)
            loss = tf.reduce_mean(huber(wanted[:, None], value[:, None]))
        gradients = tape.gradient(loss, online.trainable_variables)
        optimizer.apply_gradients(zip(gradients, online.trainable_variables, strict=True))
        return tf.abs(wanted - value)

    def update(batch: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        columns = batch[:, :4], batch[:, 4].astype(np.int32), batch[:, 5], batch[:, 6], batch[:, 7:]
        return step(*columns).numpy(), online.get_weights()

    return update


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=15)
    rounds = options.parse_args().rounds
    rng = np.random.default_rng(0)
    one, many = samples(1, rng), samples(FUSED, rng)
    for width in (64, 256):
        keras_step, learner, public = plain, ours(width), ours(width, fast_call=False)
        step, kept = keras_step(width), {}  # whoever acts holds on to the newest weights, so this does too

        def train(which: str, learner: object, sample: Sample, kept: dict = kept) -> None:
            kept[which] = learner.train(sample, 1e-3)

        took = in_turns(
            {
                "plain Keras, jit": (1, partial(step, one.packed[0])),
                "one update a call": (1, partial(train, "one", learner, one)),
                "one update, public call": (1, partial(train, "public", public, one)),
                f"{FUSED} updates a call": (FUSED, partial(train, "many", learner, many)),
            },
            rounds,
        )
        print(table(f"DQN update, {width}-{width}, batch {BATCH} (compiled in {learner.compile_seconds:.1f} s)", took))


if __name__ == "__main__":
    main()
