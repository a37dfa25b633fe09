"""The acting network: whole programs, new weights, batch sizes, and what it refuses."""

from __future__ import annotations

import math
from copy import deepcopy
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coachcore.acting import OPERATIONS, ActingNetwork
from coachcore.errors import BadCheckpoint, BadData

Program = dict[str, Any]

SOUND: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "scale": ([[2]], [], {"rescaling": 2.0, "offset": 1.0, "clipping": [-1, 1]}),
    "flatten": ([[2, 2]], [], {}),
    "reshape": ([[4]], [], {"shape": [2, 2]}),
    "slice": ([[4]], [], {"start": 1, "stop": 3}),
    "concatenate": ([[2], [3]], [], {}),
    "stack": ([[2], [2]], [], {}),
    "sum": ([[2], [2]], [], {}),
    "constant": ([[2]], [[3]], {"kernel": 0}),
    "clip": ([[2]], [], {"low": -1.0, "high": 1.0}),
    "activation": ([[2]], [], {"activation": "tanh"}),
    "dueling": ([[1, 2], [3, 2]], [], {}),
    "dense": ([[2]], [[2, 3], [3]], {"kernel": 0, "bias": 1, "activation": "relu"}),
    "noisy-dense": (
        [[2]],
        [[2, 2], [2], [2, 2], [2]],
        {"kernel": 0, "bias": 1, "kernel_sigma": 2, "bias_sigma": 3, "activation": "relu"},
    ),
    "lstm": ([[2], [6]], [[2, 12], [3, 12], [12]], {"kernel": 0, "recurrent": 1, "bias": 2}),
    "normalize": ([[2]], [[2]] * 4, {"gamma": 0, "beta": 1, "mean": 2, "variance": 3, "epsilon": 0.01}),
    "layer-norm": ([[2]], [[2]] * 2, {"gamma": 0, "beta": 1, "epsilon": 0.01}),
    "conv": (
        [[3, 3, 1]],
        [[2, 2, 1, 2], [2]],
        {"kernel": 0, "bias": 1, "strides": [1, 2], "padding": "same", "activation": "relu"},
    ),
}
"""A sound program of each operation: shapes of inputs, shapes of weights, facts."""


def sound(single, op: str) -> Program:
    shapes, weights, facts = SOUND[op]
    program = single(op, shapes, weights, noise=4 if op == "noisy-dense" else 0, **deepcopy(facts))
    if op == "noisy-dense":
        program["ops"][0]["noise"] = 0
    return program


def called(program: Program, count: int, rng: np.random.Generator | None = None) -> np.ndarray:
    """What "out" is for weights and observations of 0.01, 0.02 and so on."""
    network = ActingNetwork(program)
    network.load(np.arange(1, program["size"] + 1, dtype=np.float32) / 100)
    obs = {
        name: np.arange(1, 1 + count * math.prod(shape)).reshape(count, *shape) / 100
        for name, shape in program["inputs"].items()
    }
    return network(obs, rng)["out"].copy()


def test_the_sound_programs_are_of_every_operation() -> None:
    assert set(SOUND) == set(OPERATIONS)


@pytest.mark.parametrize("op", sorted(SOUND))
def test_rows_do_not_know_of_each_other(single, op) -> None:
    """Row by row or all at once is the same, with and without noise, for N = 1 to 8."""
    program = sound(single, op)
    for rng in (lambda: None, lambda: np.random.default_rng(5)):
        together = called(program, 8, rng())
        assert together.dtype == np.float32
        for count in range(1, 8):
            np.testing.assert_allclose(called(program, count, rng()), together[:count], rtol=1e-5, atol=1e-6)


ODD = st.one_of(
    st.none(), st.integers(-3, 9), st.sampled_from([0.0, 0.5, -1.0, math.nan, math.inf, -math.inf, 1e39]),
    st.sampled_from(["", "0", "same", "x0", "y", "relu", True, {}, {"a": 1}]),
    st.lists(st.integers(-2, 3) | st.sampled_from([0.5, None, "x0", [1]]), max_size=3),
)  # fmt: skip


@settings(max_examples=600)
@given(st.data())
def test_a_damaged_program_is_refused_at_once_or_acts(single, data) -> None:
    """Anything in it is changed for something odd or left out."""
    program = sound(single, data.draw(st.sampled_from(sorted(SOUND))))
    whole = ["inputs", "size", "weights", "noise", "ops", "outputs"]
    place: Any = data.draw(st.sampled_from([program, program["ops"][0], program["ops"][0], *program["weights"]]))
    name = data.draw(st.sampled_from(whole if place is program else sorted(place)))
    if data.draw(st.booleans()):
        place[name] = data.draw(ODD)
    else:
        del place[name]
    try:
        ActingNetwork(program)
    except BadCheckpoint:
        return
    assert called(program, 2).shape[0] == 2
    assert called(program, 2, np.random.default_rng(1)).shape[0] == 2


def dense(single, activation: str = "linear") -> Program:
    return single("dense", [[2]], [[2, 2], [2]], kernel=0, bias=1, activation=activation)


@given(
    widths=st.lists(st.integers(1, 9), min_size=2, max_size=5), count=st.integers(1, 7), seed=st.integers(0, 999),
    activation=st.sampled_from(["linear", "relu", "tanh"]),
)  # fmt: skip
def test_a_tower_equals_its_slow_twin(widths: list[int], count: int, seed: int, activation: str) -> None:
    ops, weights, name, offset = [], [], "x", 0
    for i, (before, after) in enumerate(pairwise(widths)):
        weights.append({"name": f"k{i}", "shape": [before, after], "offset": offset})
        weights.append({"name": f"b{i}", "shape": [after], "offset": offset + before * after})
        offset += before * after + after
        facts = {"kernel": 2 * i, "bias": 2 * i + 1, "activation": activation}
        ops.append({"op": "dense", "inputs": [name], "output": f"t{i}"} | facts)
        name = f"t{i}"
    rng = np.random.default_rng(seed)
    flat, x = (rng.standard_normal(shape).astype(np.float32) for shape in (offset, (count, widths[0])))
    network = ActingNetwork(
        {"inputs": {"x": [widths[0]]}, "size": offset, "weights": weights, "ops": ops, "outputs": {"out": name}}
    )
    network.load(flat)
    slow = [_slowly(row, flat, widths, activation) for row in x]
    np.testing.assert_allclose(network({"x": x})["out"], slow, rtol=1e-4, atol=1e-4)


def _slowly(row: Any, flat: Any, widths: list[int], activation: str) -> list[float]:
    one = {"linear": lambda y: y, "relu": lambda y: max(y, 0.0), "tanh": math.tanh}[activation]
    values, at = [float(v) for v in row], 0
    for before, after in pairwise(widths):
        bias = at + before * after
        values = [
            one(sum(values[i] * float(flat[at + i * after + j]) for i in range(before)) + float(flat[bias + j]))
            for j in range(after)
        ]
        at = bias + after
    return values


def test_new_weights_act_at_the_next_call_and_batch_sizes_may_change(single) -> None:
    network = ActingNetwork(dense(single))
    network.load(np.array([1, 0, 0, 1, 0, 0], np.float32))
    assert network({"x0": np.ones((3, 2), np.float32)})["out"].tolist() == [[1, 1]] * 3
    network.load(np.array([1, 0, 0, 1, 5, 6], np.float32))
    assert network({"x0": np.ones((1, 2), np.float32)})["out"].tolist() == [[6, 7]]
    assert network({"x0": np.ones((3, 2), np.float32)})["out"].tolist() == [[6, 7]] * 3


def test_what_is_handed_in_stays_as_it_is(single) -> None:
    network, obs, flat = ActingNetwork(dense(single, "relu")), np.full((2, 2), -3.0), np.ones(6, np.float32)
    network.load(flat)
    network({"x0": obs})
    assert obs.tolist() == [[-3, -3]] * 2
    assert flat.tolist() == [1] * 6


def test_bytes_and_doubles_are_taken(single) -> None:
    network = ActingNetwork(single("scale", [[2]], rescaling=255.0))
    network.load(np.zeros(0, np.float32))
    assert network({"x0": np.array([[0, 255]], np.uint8)})["out"].tolist() == [[0, 1]]
    assert network({"x0": np.array([[510.0, 255.0]])})["out"].tolist() == [[2, 1]]


def test_a_wrong_observation_is_bad_data(single) -> None:
    network = ActingNetwork(dense(single))
    network.load(np.zeros(6, np.float32))
    with pytest.raises(BadData, match=r"observation 'x0' should be \(1, 2\), got \(1, 1\)"):
        network({"x0": np.ones((1, 1), np.float32)})


@pytest.mark.parametrize("flat", [np.zeros(5, np.float32), np.zeros(6), np.zeros((6, 1), np.float32)])
def test_weights_that_do_not_fit_are_a_bad_checkpoint(single, flat: Any) -> None:
    with pytest.raises(BadCheckpoint, match="expected 6 float32 weights"):
        ActingNetwork(dense(single)).load(flat)


def test_acting_without_weights_is_a_bad_checkpoint(single) -> None:
    with pytest.raises(BadCheckpoint, match="no weights yet"):
        ActingNetwork(dense(single))({"x0": np.ones((1, 2), np.float32)})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p: p.clear(), "KeyError: 'inputs'"),
        (lambda p: p.pop("outputs"), "KeyError: 'outputs'"),
        (lambda p: p["inputs"].clear(), "x0"),
        (lambda p: (p["inputs"].clear(), p["ops"][0].update(op="constant", inputs=[])), "StopIteration"),
        (lambda p: p["inputs"].update(x0=[0]), r"'x0' cannot have the shape \(0,\)"),
        (lambda p: p["inputs"].update(x1=[-3]), r"'x1' cannot have the shape \(-3,\)"),
        (lambda p: p["inputs"].update(x1=[10**6, 10**6]), "'x1' cannot have the shape"),
        (lambda p: p["inputs"].update(x1=[2.5]), "TypeError"),
        (lambda p: p["ops"][0].update(op="conv9d"), "unknown operation 'conv9d'; this version knows scale, "),
        (lambda p: p["ops"][0].update(op=None), "unknown operation 'None'"),
        (lambda p: p["ops"][0].update(activation="swoosh"), "unknown activation 'swoosh'; known: linear, "),
        (lambda p: p["ops"][0].update(inputs=["nowhere"]), "nowhere"),
        (lambda p: p["ops"][0].update(inputs=["y"]), "KeyError: 'y'"),
        (lambda p: p["ops"][0].update(output="x0"), "two values of the acting program are called 'x0'"),
        (lambda p: p["ops"].append(p["ops"][0]), "two values of the acting program are called 'y'"),
        (lambda p: p["weights"][0].update(offset=3), r"weight 'w0' \(2, 2\) at 3 does not fit into 6 numbers"),
        (lambda p: p["weights"][0].update(offset=-1), "at -1 does not fit"),
        (lambda p: p["weights"][0].update(offset=math.inf), "TypeError"),
        (lambda p: p["weights"][0].update(shape=[-2, -2]), r"'w0' cannot have the shape \(-2, -2\)"),
        (lambda p: p["outputs"].update(out="nowhere"), r"gives \['nowhere'\], but computes x0, y"),
        (lambda p: p["outputs"].clear(), "gives nothing, but computes x0, y"),
        (lambda p: p.update(size="many"), "TypeError"),
        (lambda p: p.update(size=-1), "cannot have -1 weights"),
        (lambda p: p.update(noise=1), "draws 1 numbers of noise, but its layers need 0"),
    ],
)
def test_a_damaged_program_is_a_bad_checkpoint(single, change, said) -> None:
    program = dense(single)
    change(program)
    with pytest.raises(BadCheckpoint, match=said):
        ActingNetwork(program)
