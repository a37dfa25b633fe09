"""Programs of whole networks: several inputs and torsos, memory, noise, statistics, in NumPy as in Keras."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coach_networks.assembly import Network, build
from coach_networks.embedders.image import Image
from coach_networks.embedders.vector import Vector
from coach_networks.flow import Flow, Noise, flowing
from coach_networks.heads.discrete_policy import DiscretePolicy
from coach_networks.heads.rainbow_q import RainbowQ
from coach_networks.heads.state_value import StateValue
from coach_networks.layers.parts import BatchNorm, Conv, Dense, Dropout, LayerNorm, NoisyDense
from coach_networks.middlewares.dense import Dense as Middleware
from coach_networks.middlewares.lstm import Lstm
from coach_networks.program import write_program
from coachcore.acting import ActingNetwork
from coachcore.api import Box, Discrete, NetworkPlan, NetworkSettings, NetworkSpec, Spaces

SPACES = Spaces(
    observation={"camera": Box((9, 8, 2), 0, 255, "uint8"), "observation": Box((4,))},
    action=Discrete(3),
)
BOTH = {"policy": DiscretePolicy(gain=1.0), "value": StateValue(hidden=(5,))}
SEEN = {"observation": Vector(scheme=(6,))}
ALL = SEEN | {"camera": Image(scheme=(Conv(filters=3, size=3, stride=2), Dense(units=2)))}


def made(embedders: dict[str, Any], middleware: Any, heads: dict[str, Any], **settings: Any) -> Network:
    spec = NetworkSpec(slots=dict.fromkeys(heads, "anything"))
    plan = NetworkPlan(
        spec=spec,
        embedders=embedders,
        middleware=middleware,
        heads=heads,
        settings=NetworkSettings(**settings),
    )
    network = build(plan, SPACES, 1)
    assert isinstance(network, Network)
    return network


def observed(network: Network, rows: int = 5) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    given = {
        "camera": rng.integers(0, 256, (rows, 9, 8, 2), dtype=np.uint8),
        "observation": rng.standard_normal((rows, 4)).astype(np.float32),
        "carry": rng.standard_normal((rows, 6)).astype(np.float32),
        "first": np.zeros(rows, np.float32),
    }
    return {name: given[name] for name in network.inputs}


def acts_alike(network: Network) -> dict[str, Any]:
    """Every output of NumPy is Keras's to 1e-5, with random weights; returns the program."""
    rng, obs = np.random.default_rng(3), observed(network)
    weights = [0.4 * rng.standard_normal(shape).astype(np.float32) for shape in network.shapes]
    weights = [np.abs(w) + 0.5 if "variance" in n else w for n, w in zip(network.names, weights, strict=True)]
    program = network.program()
    assert program is not None
    acting = ActingNetwork(program)
    acting.load(np.concatenate([weight.ravel() for weight in weights]))
    wanted, given = network.call(weights, obs), acting(obs)
    assert set(given) == set(wanted)
    for slot, value in wanted.items():
        np.testing.assert_allclose(given[slot], np.asarray(value), rtol=1e-5, atol=1e-5)
        assert np.asarray(value).std() > 0
    return program


@pytest.mark.parametrize("torso", ["shared", "separate"])
def test_several_inputs_and_torsos_act(torso: str) -> None:
    program = acts_alike(made(ALL, Middleware(scheme=(7,)), BOTH, torso=torso))
    assert program["inputs"] == {"camera": [9, 8, 2], "observation": [4]}
    convolutions = [op for op in program["ops"] if op["op"] == "conv"]
    assert len(convolutions) == (2 if torso == "separate" else 1)
    assert len({op["kernel"] for op in convolutions}) == len(convolutions)


def test_inputs_that_are_added_up_act() -> None:
    image = {"camera": Image(scheme=(Conv(filters=1, size=9, padding="same", stride=3), Dense(units=9)))}
    given = SEEN | image | {"observation": Vector(scheme=(9,))}
    program = acts_alike(made(given, Middleware(scheme="empty"), BOTH, merge="sum"))
    assert [op["op"] for op in program["ops"]].count("sum") == 1


def test_a_recurrent_network_acts() -> None:
    program = acts_alike(made(ALL, Lstm(units=3, scheme=(5,)), BOTH))
    assert program["inputs"] == {"camera": [9, 8, 2], "observation": [4], "carry": [6]}
    assert set(program["outputs"]) == {"policy", "value", "carry"}


def test_statistics_are_weights_of_the_program() -> None:
    embedder = {"observation": Vector(scheme=(Dense(units=6), BatchNorm(), Dropout(rate=0.3), LayerNorm()))}
    network = made(embedder, Middleware(scheme="empty"), BOTH)
    program = acts_alike(network)
    assert [weight["name"].split("/")[-1] for weight in program["weights"]][-2:] == ["mean", "variance"]
    assert program["size"] == sum(np.prod(shape, dtype=int) for shape in network.shapes)
    assert network.statistics == 2


def test_training_hands_new_statistics_back_and_changes_nothing_within() -> None:
    embedder = {"observation": Vector(scheme=(BatchNorm(momentum=0.5),))}
    network = made(embedder, Middleware(scheme="empty"), BOTH)
    weights, obs = network.initial(), observed(network)
    with flowing(Flow(training=True)) as flow:
        network.call(weights, obs)
    mean, variance = (np.asarray(moved) for moved in flow.moved)
    assert mean == pytest.approx(0.5 * obs["observation"].mean(0), abs=1e-6)
    assert variance == pytest.approx(0.5 + 0.5 * obs["observation"].var(0), abs=1e-6)
    assert all(np.array_equal(a, b) for a, b in zip(weights, network.initial(), strict=True))


class Drawing:
    """Stands where noise is drawn; ActingNetwork asks it for standard normal numbers."""

    def __init__(self, numbers: np.ndarray) -> None:
        self.numbers = numbers

    def standard_normal(self, out: np.ndarray, dtype: Any) -> None:
        out[:] = self.numbers


def test_noise_means_the_same_in_both() -> None:
    network = made(SEEN, Middleware(scheme=(NoisyDense(units=5),)), {"q": RainbowQ(atoms=3, hidden=4)})
    program, obs, counted = network.program() or {}, observed(network), Noise(None)
    with flowing(Flow(normal=counted)):
        network.call(network.initial(), obs)
    assert program["noise"] == counted.used == (6 + 5) + 2 * (5 + 4) + (4 + 3) + (4 + 9)
    drawn = np.random.default_rng(1).standard_normal(counted.used).astype(np.float32)
    with flowing(Flow(normal=Noise(drawn))):
        wanted = np.asarray(network.call(network.initial(), obs)["q"])
    acting = ActingNetwork(program)
    acting.load(np.concatenate([weight.ravel() for weight in network.initial()]))
    given: Any = Drawing(drawn)
    np.testing.assert_allclose(acting(obs, given)["q"], wanted, rtol=1e-5, atol=1e-5)
    assert np.abs(wanted - np.asarray(network.call(network.initial(), obs)["q"])).max() > 1e-3


def test_one_unknown_layer_and_there_is_no_program() -> None:
    assert write_program([], [], {"x": object()}, object(), {}) is None
