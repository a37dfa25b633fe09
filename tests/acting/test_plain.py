"""Scaling, clipping, cutting, joining, adding up and dueling: by hand, laws, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore.acting import ActingNetwork
from coachcore.errors import BadCheckpoint


def test_scale_divides_then_shifts_then_clips(single, act) -> None:
    assert act(single("scale", [[2]], rescaling=2.0, offset=1.0), [], [[4, -6]]).tolist() == [[1, -4]]
    clipped = single("scale", [[2]], rescaling=2.0, offset=1.0, clipping=[-2, 0.5])
    assert act(clipped, [], [[4, -6]]).tolist() == [[0.5, -2]]


def test_a_clip_may_be_open_on_one_side(single, act) -> None:
    assert act(single("scale", [[2]], clipping=[-math.inf, 1]), [], [[4, -1e30]])[0].tolist() == [1, np.float32(-1e30)]
    assert act(single("clip", [[2]], low=0, high=math.inf), [], [[4, -6]]).tolist() == [[4, 0]]


def test_clip_holds_each_number_within_its_bounds(single, act) -> None:
    x = [[[-3, 0.25], [0.5, 3]]]
    assert act(single("clip", [[2, 2]], low=-1, high=0.5), [], x).tolist() == [[[-1, 0.25], [0.5, 0.5]]]


def test_reshape_and_flatten_keep_the_order_of_numbers(single, act) -> None:
    reshape = single("reshape", [[6]], shape=[2, 3])
    assert act(reshape, [], [[1, 2, 3, 4, 5, 6], [0] * 6]).tolist() == [[[1, 2, 3], [4, 5, 6]], [[0] * 3] * 2]
    assert act(single("flatten", [[2, 2]]), [], [[[1, 2], [3, 4]]]).tolist() == [[1, 2, 3, 4]]


def test_concatenate_stack_and_sum(single, act) -> None:
    a, b, c = [[1, 2], [3, 4]], [[5, 6], [7, 8]], [[10, 20], [30, 40]]
    assert act(single("concatenate", [[2], [2]]), [], a, b).tolist() == [[1, 2, 5, 6], [3, 4, 7, 8]]
    assert act(single("stack", [[2], [2]]), [], a, b).tolist() == [[[1, 2], [5, 6]], [[3, 4], [7, 8]]]
    assert act(single("sum", [[2], [2], [2]]), [], a, b, c).tolist() == [[16, 28], [40, 52]]


def test_slice_takes_a_piece_of_the_last_axis(single, act) -> None:
    assert act(single("slice", [[4]], start=1, stop=3), [], [[1, 2, 3, 4], [5, 6, 7, 8]]).tolist() == [[2, 3], [6, 7]]
    assert act(single("slice", [[2, 2]], start=1, stop=2), [], [[[1, 2], [3, 4]]]).tolist() == [[[2], [4]]]


def test_a_slice_may_be_reshaped_and_follows_its_input(single) -> None:
    program = single("slice", [[4]], start=0, stop=2)
    program["ops"].append({"op": "reshape", "inputs": ["y"], "output": "z", "shape": [2, 1]})
    program["outputs"]["out"] = "z"
    network = ActingNetwork(program)
    network.load(np.zeros(0, np.float32))
    for numbers in ([[1, 2, 3, 4], [5, 6, 7, 8]], [[0, 1, 2, 3], [4, 5, 6, 7]]):
        wanted = [[[row[0]], [row[1]]] for row in numbers]
        assert network({"x0": np.array(numbers, np.float32)})["out"].tolist() == wanted


@pytest.mark.parametrize("inputs", [["x0"], []])
def test_constant_gives_every_row_the_newest_weight(single, inputs) -> None:
    program = single("constant", [[1]], [[3]], kernel=0)
    program["ops"][0]["inputs"] = inputs
    network = ActingNetwork(program)
    for flat in ([1, 2, 3], [4, 5, 6]):
        network.load(np.array(flat, np.float32))
        assert network({"x0": np.zeros((2, 1))})["out"].tolist() == [flat, flat]


def test_constant_may_have_several_axes(single, act) -> None:
    assert act(single("constant", [[1]], [[1, 2]], kernel=0), [[7, 8]], [[0]] * 2).tolist() == [[[7, 8]]] * 2


def test_dueling_adds_the_value_to_centred_advantages(single, act) -> None:
    assert act(single("dueling", [[1], [3]]), [], [[10]], [[1, 2, 6]])[0] == pytest.approx([8, 9, 13], abs=1e-5)


def test_dueling_of_distributions_takes_the_mean_over_actions(single, act) -> None:
    out = act(single("dueling", [[1, 2], [3, 2]]), [], [[[10, 20]]], [[[1, 0], [2, 0], [6, 3]]])
    np.testing.assert_allclose(out, [[[8, 19], [9, 19], [13, 22]]], atol=1e-5)


@given(st.integers(1, 5), st.integers(1, 4), st.integers(0, 6), st.integers(0, 99))
def test_dueling_has_the_value_as_its_mean(single, act, count: int, actions: int, atoms: int, seed: int) -> None:
    """Over actions, for vectors (0 atoms) and for distributions alike."""
    rng, last = np.random.default_rng(seed), [atoms] if atoms else []
    value, advantages = (rng.standard_normal((count, n, *last)) for n in (1, actions))
    out = act(single("dueling", [[1, *last], [actions, *last]]), [], value, advantages)
    np.testing.assert_allclose(out.mean(1), value[:, 0], atol=1e-5)
    np.testing.assert_allclose(out - out[:, :1], advantages - advantages[:, :1], atol=1e-5)


@pytest.mark.parametrize(
    ("op", "shapes", "facts"),
    [
        ("scale", [[2]], {"rescaling": 0.0}),
        ("scale", [[2]], {"rescaling": 1e-40}),
        ("scale", [[2]], {"rescaling": math.nan}),
        ("scale", [[2]], {"rescaling": "two"}),
        ("scale", [[2]], {"offset": math.inf}),
        ("scale", [[2]], {"offset": None}),
        ("scale", [[2]], {"clipping": [1]}),
        ("scale", [[2]], {"clipping": [1, 0]}),
        ("scale", [[2]], {"clipping": ["low", "high"]}),
        ("clip", [[2]], {}),
        ("clip", [[2]], {"low": 0}),
        ("clip", [[2]], {"low": 1, "high": 0}),
        ("clip", [[2]], {"low": math.nan, "high": 0}),
        ("clip", [], {"low": 0, "high": 1}),
        ("reshape", [[6]], {"shape": [2, 2]}),
        ("reshape", [[6]], {"shape": [-2, -3]}),
        ("reshape", [[6]], {"shape": [2.0, 3.0]}),
        ("reshape", [[6]], {"shape": 6}),
        ("slice", [[4]], {"start": 1}),
        ("slice", [[4]], {"start": -1, "stop": 2}),
        ("slice", [[4]], {"start": 2, "stop": 2}),
        ("slice", [[4]], {"start": 2, "stop": 5}),
        ("slice", [[4]], {"start": 0.0, "stop": 2}),
        ("slice", [[]], {"start": 0, "stop": 1}),
        ("sum", [], {}),
        ("sum", [[1], [2]], {}),
        ("stack", [], {}),
        ("stack", [[1], [2]], {}),
        ("concatenate", [[1], [2, 1]], {}),
        ("concatenate", [[], []], {}),
        ("dueling", [[1]], {}),
        ("dueling", [[2], [2]], {}),
        ("dueling", [[1], []], {}),
        ("dueling", [[1], [3, 2]], {}),
        ("dueling", [[1, 2], [3, 4]], {}),
        ("dueling", [[1, 2, 2], [3, 2, 2]], {}),
        ("activation", [[2]], {"activation": "swoosh"}),
        ("activation", [[2]], {"activation": None}),
        ("activation", [[2]], {"activation": []}),
        ("constant", [[1]], {}),
        ("constant", [[1]], {"kernel": 1}),
        ("constant", [[1]], {"kernel": 0}),
    ],
)
def test_what_makes_no_sense_is_a_bad_checkpoint(single, op, shapes, facts) -> None:
    with pytest.raises(BadCheckpoint):
        ActingNetwork(single(op, shapes, [[]], **facts))
