"""Whole networks: stacking, stateless calls, seeds, and that NumPy acts as Keras does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import keras
import numpy as np
import pytest

import coach_networks
from coach_networks.assembly import Network, build
from coach_networks.embedders.vector import Vector
from coach_networks.flow import Flow, flowing
from coach_networks.heads.categorical_q import CategoricalQ
from coach_networks.heads.discrete_policy import DiscretePolicy
from coach_networks.heads.dueling_q import DuelingQ
from coach_networks.heads.q import Q
from coach_networks.heads.quantile_q import QuantileQ
from coach_networks.heads.state_value import StateValue
from coach_networks.layers.parts import BatchNorm
from coach_networks.middlewares.dense import Dense
from coach_networks.middlewares.lstm import Lstm
from coach_networks.program import Tape, UnknownLayer
from coach_networks.seeds import seed_for
from coach_networks.stacks import ACTIVATIONS
from coachcore.acting import ActingNetwork
from coachcore.api import Box, Discrete, Mismatch, NetworkPlan, NetworkSettings, NetworkSpec, Spaces

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


def test_statistics_come_last_and_are_told_from_weights() -> None:
    network = build(plan({"observation": Vector(scheme=(8, BatchNorm()))}), SPACES, 0)
    assert [name.rpartition("/")[2] for name in network.names] == [
        "kernel", "bias", "gamma", "beta", "kernel", "bias", "mean", "variance"
    ]  # fmt: skip
    assert network.statistics == 2
    weights, obs = (
        network.initial(),
        {"observation": np.random.default_rng(0).standard_normal((64, 4)).astype(np.float32)},
    )
    with flowing(Flow(training=True)) as flow:
        network.call(weights, obs)
    assert [np.asarray(moved).shape for moved in flow.moved] == [(8,), (8,)]
    with flowing(Flow()) as flow:
        network.call(weights, obs)
    assert flow.moved == []
    np.testing.assert_allclose(
        acting_of(network)(obs)["q"], np.asarray(network.call(weights, obs)["q"]), rtol=1e-4, atol=1e-5
    )


BOTH = NetworkSpec(slots={"policy": "discrete-policy", "value": "state-value"})


def two_heads(given: dict[str, Any] | None = None, middleware: Any = None, **settings: Any) -> NetworkPlan:
    return NetworkPlan(
        spec=BOTH,
        embedders=given or {"observation": Vector(scheme=(8,), activation="tanh")},
        middleware=middleware or Dense(scheme=(6,), activation="tanh"),
        heads={"policy": DiscretePolicy(), "value": StateValue()},
        settings=NetworkSettings(**settings),
    )


FLAT = Spaces(observation={"observation": Box((4,)), "goal": Box((6,))}, action=Discrete(3))


def observations(count: int, *names: str) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    return {name: rng.standard_normal((count, *FLAT.observation[name].shape)).astype(np.float32) for name in names}


def test_a_sum_of_embedded_inputs_by_hand() -> None:
    given = {"observation": Vector(scheme=(5,), activation="none"), "goal": Vector(scheme=(5,), activation="none")}
    network = build(attrs.evolve(plan(given), settings=NetworkSettings(merge="sum")), FLAT, 1)
    obs, held = observations(3, "observation", "goal"), dict(zip(network.names, network.initial(), strict=True))
    between = sum(obs[name] @ held[f"embedder_{name}/dense_0/kernel"] for name in ("goal", "observation"))
    wanted = between @ held["head_q/kernel"]
    np.testing.assert_allclose(np.asarray(network.call(network.initial(), obs)["q"]), wanted, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(acting_of(network)(obs)["q"], wanted, rtol=1e-4, atol=1e-6)


def test_only_features_of_equal_width_can_be_summed() -> None:
    given = {"observation": Vector(scheme=(5,)), "goal": Vector(scheme=(4,))}
    with pytest.raises(Mismatch, match=r'merge = "sum" needs features of equal width, got goal 4, observation 5'):
        build(attrs.evolve(plan(given), settings=NetworkSettings(merge="sum")), FLAT, 1)


def test_heads_on_torsos_of_their_own_do_not_touch_one_another() -> None:
    network = build(two_heads(torso="separate"), SPACES, 1)
    weights, obs = network.initial(), observations(4, "observation")
    before = {slot: np.asarray(value) for slot, value in network.call(weights, obs).items()}
    for own, other in (("policy", "value"), ("value", "policy")):
        torso = [name.startswith(f"{own}_") for name in network.names]
        assert sum(torso) == 4  # embedder and middleware, kernel and bias each
        changed = [w + 0.5 * mine for w, mine in zip(weights, torso, strict=True)]
        after = network.call(changed, obs)
        assert np.array_equal(np.asarray(after[other]), before[other])
        assert not np.allclose(np.asarray(after[own]), before[own])


def test_heads_on_one_torso_share_it() -> None:
    network = build(two_heads(), SPACES, 1)
    assert len(network.names) == 8
    assert not [name for name in network.names if name.startswith(("policy", "value"))]


@pytest.mark.parametrize("merge", ["concatenate", "sum"])
@pytest.mark.parametrize("torso", ["shared", "separate"])
def test_numpy_acts_on_any_torso(torso: str, merge: str) -> None:
    given = {name: Vector(scheme=(5,), activation="tanh") for name in ("observation", "goal")}
    network = build(two_heads(given, torso=torso, merge=merge), FLAT, 1)
    obs, acting = observations(4, "observation", "goal"), acting_of(network)
    for slot, wanted in network.call(network.initial(), obs).items():
        np.testing.assert_allclose(acting(obs)[slot], np.asarray(wanted), rtol=1e-5, atol=1e-5)


def acting_of(network: Network) -> ActingNetwork:
    acting = ActingNetwork(network.program() or {})
    acting.load(np.concatenate([weight.ravel() for weight in network.initial()]))
    return acting


@pytest.mark.parametrize("torso", ["shared", "separate"])
def test_numpy_goes_step_by_step_where_keras_goes_over_the_sequence(torso: str) -> None:
    network = build(two_heads(middleware=Lstm(units=3, scheme="empty"), torso=torso), SPACES, 1)
    carry, steps, sequences = (12 if torso == "separate" else 6), 5, 2
    assert set(network.inputs) == {"observation", "carry", "first"}
    obs = observations(sequences * steps, "observation")["observation"]
    first = np.zeros((sequences, steps), np.float32)
    first[0, 0] = first[0, 3] = first[1, 2] = 1.0
    begin = np.random.default_rng(2).standard_normal((sequences, carry)).astype(np.float32)
    with flowing(Flow(sequence=steps)):
        given = {"observation": obs, "carry": np.repeat(begin, steps, axis=0), "first": first.ravel()}
        wanted = {slot: np.asarray(value) for slot, value in network.call(network.initial(), given).items()}
    assert set(wanted) == {"policy", "value", "carry"}
    acting = acting_of(network)
    for sequence in range(sequences):
        held = begin[sequence : sequence + 1]
        for step in range(steps):
            row = sequence * steps + step
            # NumPy's program forgets because it is handed zeros where an episode begins
            held = np.zeros_like(held) if first[sequence, step] else held
            outputs = acting({"observation": obs[row : row + 1], "carry": held, "first": np.zeros(1, np.float32)})
            for slot, value in outputs.items():
                np.testing.assert_allclose(value[0], wanted[slot][row], rtol=1e-4, atol=1e-5)
            held = outputs["carry"].copy()


def test_separate_torsos_remember_apart() -> None:
    network = build(two_heads(middleware=Lstm(units=2, scheme="empty"), torso="separate"), SPACES, 1)
    given = observations(3, "observation") | {"carry": np.zeros((3, 8), np.float32), "first": np.zeros(3, np.float32)}
    plain = {slot: np.asarray(value) for slot, value in network.call(network.initial(), given).items()}
    given["carry"] = np.tile(np.array([1, 1, 1, 1, 0, 0, 0, 0], np.float32), (3, 1))
    moved = {slot: np.asarray(value) for slot, value in network.call(network.initial(), given).items()}
    assert np.array_equal(moved["value"], plain["value"])
    assert not np.allclose(moved["policy"], plain["policy"])
    assert np.array_equal(moved["carry"][:, 4:], plain["carry"][:, 4:])


def test_bfloat16_is_how_it_computes_not_what_it_holds() -> None:
    before = keras.config.dtype_policy().name
    rough, plain = (build(two_heads(), SPACES, 1, precision) for precision in ("bfloat16", "float32"))
    assert keras.config.dtype_policy().name == before
    assert all(np.array_equal(a, b) for a, b in zip(rough.initial(), plain.initial(), strict=True))
    obs = observations(8, "observation")
    one, other = (network.call(network.initial(), obs) for network in (rough, plain))
    for slot, value in one.items():
        assert np.asarray(value).dtype == np.float32
        assert not np.array_equal(np.asarray(value), np.asarray(other[slot]))
        np.testing.assert_allclose(np.asarray(value), np.asarray(other[slot]), rtol=0.1, atol=0.05)


def test_bfloat16_reads_inputs_in_full() -> None:
    """1000.5 is 1000 in bfloat16: an offset is taken off before anything is rounded."""
    given = {"observation": Vector(scheme="empty", input_offset=1000.0)}
    network = build(plan(given), SPACES, 1, "bfloat16")
    ones = [np.ones((4, 3), np.float32), np.zeros(3, np.float32)]
    obs = {"observation": np.full((1, 4), 1000.5, np.float32)}
    assert np.asarray(network.call(ones, obs)["q"]).tolist() == [[2.0, 2.0, 2.0]]


def test_free_numbers_are_a_network_without_inputs() -> None:
    network = build(NetworkPlan(spec=NetworkSpec(free={"a": 1.5, "b": -2.0}, acts=False)), SPACES, 1)
    assert (network.inputs, network.shapes, network.statistics, network.program()) == ((), ((), ()), 0, None)
    assert [float(value) for value in network.initial()] == [1.5, -2.0]
    assert network.call([3, 4], {}) == {"a": 3, "b": 4}
    assert network.summary().splitlines()[1] == "one free number: b, at first -2"


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
