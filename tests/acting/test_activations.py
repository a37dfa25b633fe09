"""What may follow a layer: by hand, against formulas in double precision, and far out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore.acting import ACTIVATIONS

EXACT = {
    "linear": lambda y: y,
    "relu": lambda y: max(y, 0.0),
    "tanh": math.tanh,
    "sigmoid": lambda y: 1 / (1 + math.exp(-y)),
    "elu": lambda y: y if y > 0 else math.expm1(y),
    "selu": lambda y: 1.0507009873554805 * (y if y > 0 else 1.6732632423543772 * math.expm1(y)),
    "leaky_relu": lambda y: y if y > 0 else 0.2 * y,
    "silu": lambda y: y / (1 + math.exp(-y)),
    "swish": lambda y: y / (1 + math.exp(-y)),
    "gelu": lambda y: y * 0.5 * math.erfc(-y / math.sqrt(2)),
    "softplus": lambda y: math.log1p(math.exp(-abs(y))) + max(y, 0.0),
}


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
        ("silu", [-0.2689414, 1.7615942]),
        ("swish", [-0.2689414, 1.7615942]),
        ("gelu", [-0.1586553, 1.9544997]),
        ("softplus", [0.3132617, 2.1269280]),
    ],
)
def test_every_activation_by_hand(single, act, name, wanted) -> None:
    assert act(single("activation", [[2]], activation=name), [], [[-1, 2]])[0] == pytest.approx(wanted, abs=1e-6)
    dense = single("dense", [[2]], [[2, 2], [2]], kernel=0, bias=1, activation=name)
    assert act(dense, [1, 0, 0, 1, 0, 0], [[-1, 2]])[0] == pytest.approx(wanted, abs=1e-6)


def test_the_activations_above_are_all_there_are() -> None:
    assert set(ACTIVATIONS) == set(EXACT)


@given(st.sampled_from(sorted(EXACT)), st.lists(st.floats(-30, 30, width=32), min_size=1, max_size=9))
def test_each_is_its_formula_in_double_precision(name: str, numbers: list[float]) -> None:
    y, activate = np.array(numbers, np.float32), ACTIVATIONS[name]
    if activate is not None:
        activate(y)
    assert y.dtype == np.float32
    np.testing.assert_allclose(y, [EXACT[name](number) for number in numbers], rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("name", sorted(set(ACTIVATIONS) - {"linear"}))
def test_far_out_nothing_overflows(name: str) -> None:
    y = np.array([-1e30, -1e4, 0.0, 1e4, 1e30], np.float32)
    with np.errstate(all="raise", under="ignore"):
        ACTIVATIONS[name](y)
    assert np.isfinite(y).all()
    assert y[-1] >= y[-2] >= 1
