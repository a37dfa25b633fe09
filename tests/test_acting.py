"""The acting network: every operation by hand, against a slow twin, and what it refuses."""

from __future__ import annotations

import json
import math
from copy import deepcopy
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coachcore.acting import ACTIVATIONS, OPERATIONS, ActingNetwork
from coachcore.errors import BadCheckpoint, BadData

Program = dict[str, Any]


def program_of(
    ops: list[dict[str, Any]], inputs: dict[str, list[int]], weights: dict[str, list[int]], last: str
) -> Program:
    listed, offset = [], 0
    for name, shape in weights.items():
        listed.append({"name": name, "shape": shape, "offset": offset})
        offset += math.prod(shape)
    return {"inputs": inputs, "size": offset, "weights": listed, "ops": ops, "outputs": {"out": last}}


def run(program: Program, flat: list[float], **obs: list[Any]) -> list[Any]:
    network = ActingNetwork(json.loads(json.dumps(program)))
    network.load(np.array(flat, np.float32))
    given_obs = {name: np.array(value, np.float32) for name, value in obs.items()}
    return network(given_obs)["out"].tolist()


def dense(activation: str = "linear", bias: int | None = 1) -> Program:
    op = {"op": "dense", "inputs": ["x"], "output": "y", "kernel": 0, "bias": bias, "activation": activation}
    return program_of([op], {"x": [2]}, {"kernel": [2, 2], "bias": [2]}, "y")


def single(op: str, count: int = 1, shape: tuple[int, ...] = (2,), **facts: Any) -> Program:
    names = [f"x{i}" for i in range(count)]
    ops = [{"op": op, "inputs": names, "output": "y"} | facts]
    return program_of(ops, {name: list(shape) for name in names}, {}, "y")


def test_dense_multiplies_adds_and_rectifies() -> None:
    flat = [1, 2, 3, 4, 0.5, -10]
    assert run(dense(), flat, x=[[1, 1], [2, 0]]) == [[4.5, -4], [2.5, -6]]
    assert run(dense("relu"), flat, x=[[1, 1], [2, 0]]) == [[4.5, 0], [2.5, 0]]
    assert run(dense(bias=None), flat, x=[[1, 1]]) == [[4, 6]]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("linear", [-1, 2]),
        ("relu", [0, 2]),
        ("tanh", [-0.7615942, 0.9640276]),
        ("sigmoid", [0.2689414, 0.8807970]),
        ("elu", [-0.6321206, 2]),
        ("selu", [-1.1113307, 2.1014020]),
        ("leaky_relu", [-0.2, 2]),
    ],
)
def test_every_activation_by_hand(name: str, wanted: list[float]) -> None:
    assert run(single("activation", activation=name), [], x0=[[-1, 2]])[0] == pytest.approx(wanted, abs=1e-6)
    assert run(dense(name), [1, 0, 0, 1, 0, 0], x=[[-1, 2]])[0] == pytest.approx(wanted, abs=1e-6)


def test_the_activations_above_are_all_there_are() -> None:
    assert set(ACTIVATIONS) == {"linear", "relu", "tanh", "sigmoid", "elu", "selu", "leaky_relu"}
    assert set(OPERATIONS) == {"scale", "flatten", "reshape", "concatenate", "sum", "dense", "activation", "dueling"}


def test_saturated_activations_do_not_overflow() -> None:
    with np.errstate(all="raise"):
        for name in ("sigmoid", "elu", "selu", "tanh"):
            low, high = run(single("activation", activation=name), [], x0=[[-1e4, 1e4]])[0]
            assert math.isfinite(low)
            assert math.isfinite(high)


def test_scale_divides_then_shifts_then_clips() -> None:
    assert run(single("scale", rescaling=2.0, offset=1.0), [], x0=[[4, -6]]) == [[1, -4]]
    assert run(single("scale", rescaling=2.0, offset=1.0, clipping=[-2, 0.5]), [], x0=[[4, -6]]) == [[0.5, -2]]


def test_dense_works_along_the_last_axis() -> None:
    program = dense("relu")
    program["inputs"]["x"] = [3, 2]
    flat = [1, 2, 3, 4, 0.5, -10]
    assert run(program, flat, x=[[[1, 1], [2, 0], [0, 3]]]) == [[[4.5, 0], [2.5, 0], [9.5, 2]]]


def test_reshape_keeps_the_order_of_numbers() -> None:
    op = {"op": "reshape", "inputs": ["x"], "output": "y", "shape": [2, 3]}
    program = program_of([op], {"x": [6]}, {}, "y")
    assert run(program, [], x=[[1, 2, 3, 4, 5, 6], [0] * 6]) == [[[1, 2, 3], [4, 5, 6]], [[0] * 3] * 2]


def test_flatten_concatenate_and_sum() -> None:
    assert run(single("flatten", shape=(2, 2)), [], x0=[[[1, 2], [3, 4]]]) == [[1, 2, 3, 4]]
    assert run(single("concatenate", 2), [], x0=[[1, 2]], x1=[[3, 4]]) == [[1, 2, 3, 4]]
    assert run(single("sum", 3), [], x0=[[1, 2]], x1=[[3, 4]], x2=[[10, 20]]) == [[14, 26]]


def test_dueling_adds_the_value_to_centred_advantages() -> None:
    program = program_of(
        [{"op": "dueling", "inputs": ["v", "a"], "output": "q"}], {"v": [1], "a": [3]}, {}, "q"
    )  # fmt: skip
    assert run(program, [], v=[[10]], a=[[1, 2, 6]])[0] == pytest.approx([8, 9, 13], abs=1e-5)


@settings(max_examples=40, deadline=None)
@given(
    widths=st.lists(st.integers(1, 9), min_size=2, max_size=5), count=st.integers(1, 7), seed=st.integers(0, 999),
    activation=st.sampled_from(sorted(ACTIVATIONS)),
)  # fmt: skip
def test_a_stack_equals_its_slow_twin(widths: list[int], count: int, seed: int, activation: str) -> None:
    ops, weights, name = [], {}, "x"
    for i, (before, after) in enumerate(pairwise(widths)):
        weights |= {f"k{i}": [before, after], f"b{i}": [after]}
        ops.append(
            {
                "op": "dense",
                "inputs": [name],
                "output": f"t{i}",
                "kernel": 2 * i,
                "bias": 2 * i + 1,
                "activation": activation,
            }
        )
        name = f"t{i}"
    program = program_of(ops, {"x": [widths[0]]}, weights, name)
    rng = np.random.default_rng(seed)
    flat, x = (
        rng.standard_normal(program["size"]).astype(np.float32),
        rng.standard_normal((count, widths[0])).astype(np.float32),
    )
    network = ActingNetwork(program)
    network.load(flat)
    slow = [_slowly(row, flat, widths, activation) for row in x]
    np.testing.assert_allclose(network({"x": x})["out"], slow, rtol=1e-4, atol=1e-4)


def _slowly(row: Any, flat: Any, widths: list[int], activation: str) -> list[float]:
    one = {
        "linear": lambda y: y, "relu": lambda y: max(y, 0.0), "tanh": math.tanh,
        "sigmoid": lambda y: 1 / (1 + math.exp(-y)),
        "elu": lambda y: y if y > 0 else math.exp(y) - 1, "leaky_relu": lambda y: y if y > 0 else 0.2 * y,
        "selu": lambda y: 1.05070098 * (y if y > 0 else 1.67326324 * (math.exp(y) - 1)),
    }[activation]  # fmt: skip
    values, at = [float(v) for v in row], 0
    for before, after in pairwise(widths):
        bias = at + before * after
        values = [
            one(sum(values[i] * float(flat[at + i * after + j]) for i in range(before)) + float(flat[bias + j]))
            for j in range(after)
        ]
        at = bias + after
    return values


def test_new_weights_act_at_the_next_call_and_batch_sizes_may_change() -> None:
    network = ActingNetwork(dense())
    network.load(np.array([1, 0, 0, 1, 0, 0], np.float32))
    assert network({"x": np.ones((3, 2), np.float32)})["out"].tolist() == [[1, 1]] * 3
    network.load(np.array([1, 0, 0, 1, 5, 6], np.float32))
    assert network({"x": np.ones((1, 2), np.float32)})["out"].tolist() == [[6, 7]]
    assert network({"x": np.ones((3, 2), np.float32)})["out"].tolist() == [[6, 7]] * 3


def test_what_is_handed_in_stays_as_it_is() -> None:
    network, obs, flat = ActingNetwork(dense("relu")), np.full((2, 2), -3.0), np.ones(6, np.float32)
    network.load(flat)
    network({"x": obs})
    assert obs.tolist() == [[-3, -3]] * 2
    assert flat.tolist() == [1] * 6


def test_bytes_and_doubles_are_taken() -> None:
    network = ActingNetwork(single("scale", rescaling=255.0))
    network.load(np.zeros(0, np.float32))
    assert network({"x0": np.array([[0, 255]], np.uint8)})["out"].tolist() == [[0, 1]]
    assert network({"x0": np.array([[510.0, 255.0]])})["out"].tolist() == [[2, 1]]


def test_a_wrong_observation_is_bad_data() -> None:
    network = ActingNetwork(dense())
    network.load(np.zeros(6, np.float32))
    with pytest.raises(BadData, match=r"observation 'x' should be \(1, 2\), got \(1, 1\)"):
        network({"x": np.ones((1, 1), np.float32)})


@pytest.mark.parametrize("flat", [np.zeros(5, np.float32), np.zeros(6), np.zeros((6, 1), np.float32)])
def test_weights_that_do_not_fit_are_a_bad_checkpoint(flat: Any) -> None:
    with pytest.raises(BadCheckpoint, match="expected 6 float32 weights"):
        ActingNetwork(dense()).load(flat)


def test_acting_without_weights_is_a_bad_checkpoint() -> None:
    with pytest.raises(BadCheckpoint, match="no weights yet"):
        ActingNetwork(dense())({"x": np.ones((1, 2), np.float32)})


def _broken(change: Any) -> Program:
    program = deepcopy(dense())
    change(program)
    return program


@pytest.mark.parametrize(
    "program",
    [
        {},
        _broken(lambda p: p.pop("outputs")),
        _broken(lambda p: p["inputs"].clear()),
        _broken(lambda p: p["ops"][0].update(op="conv9d")),
        _broken(lambda p: p["ops"][0].update(op=None)),
        _broken(lambda p: p["ops"][0].update(activation="swoosh")),
        _broken(lambda p: p["ops"][0].update(inputs=["nowhere"])),
        _broken(lambda p: p["ops"][0].update(inputs=[])),
        _broken(lambda p: p["ops"][0].update(kernel=7)),
        _broken(lambda p: p["ops"][0].update(kernel="0")),
        _broken(lambda p: p["ops"][0].update(bias=0)),
        _broken(lambda p: p["inputs"].update(x=[3])),
        _broken(lambda p: p["weights"][0].update(offset=3)),
        _broken(lambda p: p["weights"][0].update(offset=-1)),
        _broken(lambda p: p["weights"][0].update(shape=[-2, -2])),
        _broken(lambda p: p["outputs"].update(out="nowhere")),
        _broken(lambda p: p.update(size="many")),
        single("scale", rescaling=0.0),
        single("scale", clipping=[1]),
        single("dueling", 2),
        single("dueling", 1),
        single("sum", 0),
        program_of([{"op": "reshape", "inputs": ["x"], "output": "y", "shape": [2, 2]}], {"x": [6]}, {}, "y"),
        program_of([{"op": "reshape", "inputs": ["x"], "output": "y", "shape": [-2, -3]}], {"x": [6]}, {}, "y"),
        program_of([{"op": "reshape", "inputs": ["x"], "output": "y", "shape": 6}], {"x": [6]}, {}, "y"),
        program_of([{"op": "sum", "inputs": ["a", "b"], "output": "y"}], {"a": [1], "b": [2]}, {}, "y"),
        program_of([{"op": "concatenate", "inputs": ["a", "b"], "output": "y"}], {"a": [1], "b": [2, 1]}, {}, "y"),
    ],
)
def test_a_damaged_program_is_a_bad_checkpoint(program: Program) -> None:
    with pytest.raises(BadCheckpoint):
        ActingNetwork(program)
