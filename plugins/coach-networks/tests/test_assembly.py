"""Whole networks: stacking, stateless calls, seeds, and that NumPy acts as Keras does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import coach_networks
from coach_networks.assembly import Network, build
from coach_networks.embedders.vector import Vector
from coach_networks.heads.categorical_q import CategoricalQ
from coach_networks.heads.dueling_q import DuelingQ
from coach_networks.heads.q import Q
from coach_networks.heads.quantile_q import QuantileQ
from coach_networks.middlewares.dense import Dense
from coach_networks.program import Tape, UnknownLayer
from coach_networks.seeds import seed_for
from coach_networks.stacks import ACTIVATIONS
from coachcore.acting import ActingNetwork
from coachcore.api import Box, Discrete, Mismatch, NetworkPlan, NetworkSpec, Spaces

SPACES = Spaces(observation={"observation": Box((4,)), "goal": Box((2, 3))}, action=Discrete(3))
SPEC = NetworkSpec(slots={"q": "action-values"})


def plan(embedders: dict[str, Any] | None = None, middleware: Any = None, head: Any = None) -> NetworkPlan:
    return NetworkPlan(
        spec=SPEC,
        embedders=embedders or {"observation": Vector(scheme=(8,))},
        middleware=middleware or Dense(scheme="empty"),
        heads={"q": head or Q()},
    )


def acts_alike(network: Network) -> None:
    rng = np.random.default_rng(0)
    weights = [rng.standard_normal(shape).astype(np.float32) * 0.3 for shape in network.shapes]
    obs = {
        name: rng.standard_normal((5, *SPACES.observation[name].shape)).astype(np.float32) for name in network.inputs
    }
    acting = ActingNetwork(network.program() or {})
    acting.load(np.concatenate([weight.ravel() for weight in weights]))
    wanted = np.asarray(network.call(weights, obs)["q"])
    np.testing.assert_allclose(acting(obs)["q"], wanted, rtol=1e-5, atol=1e-5)
    assert wanted.std() > 0


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(
    "head",
    [
        Q(),
        DuelingQ(hidden=6),
        DuelingQ(hidden=6, activation="tanh"),
        CategoricalQ(atoms=5),
        QuantileQ(quantiles=4),
    ],
)
def test_numpy_acts_as_keras_does(activation: str, head: Any) -> None:
    embedder = Vector(
        scheme=(8, 8), activation=activation, input_rescaling=3, input_offset=0.1, input_clipping=(-0.4, 0.3)
    )
    acts_alike(build(plan({"observation": embedder}, Dense(scheme=(5,), activation=activation), head), SPACES, 1))


def test_several_inputs_are_stacked_in_alphabetical_order() -> None:
    given = {"observation": Vector(scheme="empty"), "goal": Vector(scheme="empty")}
    network = build(plan(given, head=Q()), SPACES, 1)
    assert network.inputs == ("goal", "observation")
    acts_alike(network)
    weights = [np.eye(10, 3, dtype=np.float32), np.zeros(3, np.float32)]
    obs = {"goal": np.arange(6.0, dtype=np.float32).reshape(1, 2, 3), "observation": np.full((1, 4), 9, np.float32)}
    assert np.asarray(network.call(weights, obs)["q"]).tolist() == [[0, 1, 2]]


def test_names_and_shapes_follow_one_order() -> None:
    network = build(plan(), SPACES, 1)
    assert network.names == (
        "embedder_observation/dense_0/kernel",
        "embedder_observation/dense_0/bias",
        "head_q/kernel",
        "head_q/bias",
    )
    assert network.shapes == ((4, 8), (8,), (8, 3), (3,)) == tuple(w.shape for w in network.initial())
    assert "head_q" in network.summary()


def test_equal_seeds_give_equal_weights_and_a_new_part_shifts_no_other() -> None:
    first, again = build(plan(), SPACES, 1).initial(), build(plan(), SPACES, 1).initial()
    wider = build(plan(middleware=Dense(scheme=(8,))), SPACES, 1).initial()
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert np.array_equal(first[0], wider[0])
    assert np.array_equal(first[2], wider[4])
    assert not np.array_equal(first[0], build(plan(), SPACES, 2).initial()[0])


def test_seeds_are_fit_for_keras_and_differ_by_name() -> None:
    seeds = {seed_for(seed, name) for seed in range(20) for name in ("a", "b")}
    assert len(seeds) == 40
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_the_given_weights_count_not_those_within() -> None:
    network = build(plan(), SPACES, 1)
    nought = [np.zeros(shape, np.float32) for shape in network.shapes]
    assert (
        np.asarray(network.call(nought, {"observation": np.ones((2, 4), np.float32)})["q"]).tolist() == [[0, 0, 0]] * 2
    )
    assert network.initial()[0].any()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (NetworkPlan(spec=SPEC, embedders={}, middleware=Dense(), heads={"q": Q()}), "needs an embedder"),
        (
            NetworkPlan(spec=SPEC, embedders={"sound": Vector()}, middleware=Dense(), heads={"q": Q()}),
            "no input 'sound'",
        ),
        (
            NetworkPlan(spec=SPEC, embedders={"observation": Vector()}, middleware=Dense(), heads={}),
            "no head for slot q",
        ),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(given: NetworkPlan, words: str) -> None:
    with pytest.raises(Mismatch, match=words):
        build(given, SPACES, 0)


class Odd:
    """A middleware with a layer that nothing in the acting tables knows."""

    def __init__(self, layer: Any) -> None:
        self.layer = layer

    def build(self, seed: int) -> Any:
        return self.layer


def test_a_layer_unknown_to_acting_gives_no_program() -> None:
    assert build(plan(middleware=Odd(keras.layers.LayerNormalization())), SPACES, 0).program() is None
    assert build(plan(middleware=Odd(keras.layers.Dense(3, activation="softplus"))), SPACES, 0).program() is None
    assert build(plan(middleware=Odd(keras.layers.Reshape((2, -1)))), SPACES, 0).program() is None


def test_weights_that_training_does_not_move_are_refused() -> None:
    with pytest.raises(Mismatch, match="moving_mean"):
        build(plan(middleware=Odd(keras.layers.BatchNormalization())), SPACES, 0)


@pytest.mark.parametrize(
    "layer",
    [
        keras.layers.Activation("tanh"),
        keras.layers.Flatten(),
        keras.layers.Dense(3, use_bias=False),
        keras.layers.Reshape((8,)),
        keras.layers.Reshape((2, 4)),
    ],
)
def test_plain_keras_layers_act_too(layer: Any) -> None:
    acts_alike(build(plan(middleware=Odd(layer)), SPACES, 0))


def test_a_layer_of_keras_name_from_elsewhere_is_not_taken_for_it() -> None:
    class Identity(keras.layers.Layer):
        pass

    with pytest.raises(UnknownLayer):
        Tape([]).layer(Identity(), "x")


def test_no_backend_is_named_anywhere() -> None:
    folder = Path(coach_networks.__file__).parent
    sources = [file.read_text() for file in folder.rglob("*.py")]
    assert len(sources) > 10
    assert not [word for text in sources for word in ("tensorflow", "jax", "torch") if word in text.lower()]
