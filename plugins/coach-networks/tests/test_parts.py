"""Embedder, middleware and heads: shapes of the old system's tables, scaling by hand, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coach_networks.embedders.vector import Vector
from coach_networks.heads.categorical_q import CategoricalQ
from coach_networks.heads.dueling_q import DuelingQ
from coach_networks.heads.q import Q
from coach_networks.heads.quantile_q import QuantileQ
from coach_networks.middlewares.dense import Dense
from coachcore.api import BadSetting, Box, Discrete, Mismatch


def out(layer: Any, x: Any) -> np.ndarray:
    return np.asarray(layer(np.asarray(x, np.float32)))


@pytest.mark.parametrize(
    ("scheme", "features"), [("empty", 10), ("shallow", 128), ("medium", 256), ("deep", 128), ((7, 5), 5)]
)
def test_embedder_widths(scheme: Any, features: int) -> None:
    assert out(Vector(scheme=scheme).build(Box((10,)), 0), np.ones((3, 10))).shape == (3, features)


@pytest.mark.parametrize(
    ("scheme", "features"), [("empty", 10), ("shallow", 64), ("medium", 512), ("deep", 128), ((7, 5), 5)]
)
def test_middleware_widths(scheme: Any, features: int) -> None:
    assert out(Dense(scheme=scheme).build(0), np.ones((3, 10))).shape == (3, features)


def test_the_empty_scheme_flattens_any_shape() -> None:
    x = np.arange(12.0).reshape(1, 2, 3, 2)
    assert out(Vector(scheme="empty").build(Box((2, 3, 2)), 0), x).tolist() == [list(range(12))]


def test_scaling_by_hand() -> None:
    part = Vector(scheme="empty", input_rescaling=2, input_offset=1, input_clipping=(-2, 0.5))
    assert out(part.build(Box((3,)), 0), [[4, -6, 2.5]]).tolist() == [[0.5, -2, 0.25]]


def test_bytes_become_floats() -> None:
    layer = Vector(scheme="empty", input_rescaling=255).build(Box((2,), 0, 255, dtype="uint8"), 0)
    assert np.asarray(layer(np.array([[0, 255]], np.uint8))).tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("space", [Box((10, 10)), Box(()), Discrete(3)])
def test_what_is_not_a_vector_is_refused(space: Any) -> None:
    with pytest.raises(Mismatch, match="takes vectors"):
        Vector().build(space, 0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"scheme": "huge"}, "not a choice"),
        ({"scheme": (64, 0)}, "out of range"),
        ({"activation": "swoosh"}, "not a choice"),
        ({"input_rescaling": 0.0}, "out of range"),
        ({"input_clipping": (1.0,)}, "expected"),
        ({"input_clipping": (2.0, 1.0)}, "low <= high"),
    ],
)
def test_bad_embedder_settings_are_named(given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting, match=words):
        Vector(**given)


@pytest.mark.parametrize("head", [Q(), DuelingQ(hidden=4)])
def test_heads_value_every_action_and_refuse_boxes(head: Any) -> None:
    assert out(head.build(Discrete(3), 0), np.ones((2, 5))).shape == (2, 3)
    with pytest.raises(Mismatch, match="values discrete actions, the action space is a box"):
        head.build(Box((2,)), 0)


@pytest.mark.parametrize("head", [CategoricalQ(atoms=4), QuantileQ(quantiles=4)])
def test_heads_give_a_row_an_action_and_refuse_boxes(head: Any) -> None:
    layer = head.build(Discrete(3), 0)
    x = np.random.default_rng(0).standard_normal((2, 5)).astype(np.float32)
    rows = out(layer, x)
    assert rows.shape == (2, 3, 4)
    kernel = np.asarray(layer.weights[0])
    np.testing.assert_allclose(rows.reshape(2, 12), x @ kernel, rtol=1e-5, atol=1e-6)
    with pytest.raises(Mismatch, match="values discrete actions, the action space is a box"):
        head.build(Box((2,)), 0)


def test_a_head_needs_as_many_outputs_as_make_sense() -> None:
    with pytest.raises(BadSetting, match="atoms"):
        CategoricalQ(atoms=1)
    with pytest.raises(BadSetting, match="quantiles"):
        QuantileQ(quantiles=0)


def test_dueling_sum_by_hand() -> None:
    layer = DuelingQ(hidden=1, activation="none").build(Discrete(2), 0)
    layer(np.ones((1, 1), np.float32))
    values = {
        "value_hidden/kernel": [[1.0]],
        "value/kernel": [[10.0]],
        "advantage_hidden/kernel": [[1.0]],
        "advantage/kernel": [[1.0, 3.0]],
    }
    for weight in layer.weights:
        given = next((value for name, value in values.items() if weight.path.endswith("/" + name)), None)
        weight.assign(np.zeros(weight.shape) if given is None else given)
    assert out(layer, [[2.0]]).tolist() == [[18.0, 22.0]]


def kernels(part: Any, seed: int) -> list[np.ndarray]:
    layer = part.build(Box((6,)), seed)
    layer(np.ones((1, 6), np.float32))
    return [np.asarray(weight) for weight in layer.weights]


def test_weights_follow_from_the_seed_alone() -> None:
    first, again, other = (kernels(Vector(scheme=(8, 8)), seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])


def test_kernels_are_glorot_uniform_and_biases_zero() -> None:
    kernel, bias = kernels(Vector(scheme=(400,)), 0)
    limit = np.sqrt(6 / (6 + 400))
    assert np.abs(kernel).max() <= limit
    assert np.abs(kernel).max() > 0.99 * limit
    assert kernel.std() == pytest.approx(limit / np.sqrt(3), rel=0.03)
    assert not bias.any()
