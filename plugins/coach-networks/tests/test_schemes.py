"""Schemes: by name, by widths, layer by layer; how stacks name and seed their layers, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from parity import acts_alike, drawn, out

from coach_networks.embedders.image import Image
from coach_networks.embedders.vector import Vector
from coach_networks.layers.parts import Activation, BatchNorm, Conv, Dense, Dropout, Flatten, NoisyDense
from coach_networks.layers.stack import Stack
from coach_networks.middlewares.dense import Dense as Middleware
from coach_networks.middlewares.lstm import Lstm
from coach_networks.stacks import layer_parts
from coachcore.api import BadSetting, Box, Mismatch, spec_of

TABLE = {"empty": (), "two": (8, 4)}


def test_a_name_a_list_of_widths_and_a_list_of_layers_say_the_same() -> None:
    spelled = (Dense(units=8, activation="tanh"), Dense(units=4, activation="tanh"))
    for scheme in ("two", (8, 4), spelled):
        assert layer_parts(scheme, TABLE, "tanh") == spelled
    assert layer_parts("empty", TABLE, "tanh") == ()


def test_layers_that_are_spelled_out_keep_their_own_settings() -> None:
    own = (NoisyDense(units=4, activation="elu"), Dropout(rate=0.5))
    assert layer_parts(own, TABLE, "tanh", "orthogonal") == own
    assert layer_parts((3,), TABLE, "tanh", "orthogonal")[0].initializer == "orthogonal"


@pytest.mark.parametrize("kind", [Vector, Image, Middleware, Lstm])
@pytest.mark.parametrize(
    "wrong", [5, True, {"use": "dense"}, ({"use": "dense"},), (64, None), (True,), (Middleware(),)]
)
def test_what_is_no_scheme_is_refused(kind: Any, wrong: Any) -> None:
    with pytest.raises(BadSetting, match=r"scheme.*a list of widths, or a list of layers such as"):
        kind(scheme=wrong)


@pytest.mark.parametrize("kind", [Vector, Image, Middleware, Lstm])
@pytest.mark.parametrize(
    ("wrong", "words"), [("huge", "not a choice"), ((64, 0), "out of range"), (("medium",), "list")]
)
def test_names_and_widths_are_checked(kind: Any, wrong: Any, words: str) -> None:
    with pytest.raises(BadSetting, match=words):
        kind(scheme=wrong)


@pytest.mark.parametrize("kind", [Vector, Image, Middleware, Lstm])
def test_the_type_of_a_scheme_is_told(kind: Any) -> None:
    (scheme,) = (param for param in spec_of(kind).params or () if param.name == "scheme")
    assert (scheme.type, scheme.default) == ("str | int[] | layer[]", "medium")
    assert scheme.choices == ("empty", "shallow", "medium", "deep")


PARTS = (
    Conv(filters=3, size=2, activation="none"),
    BatchNorm(),
    Activation(function="relu"),
    Conv(filters=2, size=2),
    Flatten(),
    Dropout(rate=0.5),
    NoisyDense(units=6),
    Dense(units=4),
)


def test_layers_are_named_by_their_part_and_counted() -> None:
    stack = Stack(PARTS, 0, name="torso")
    assert stack.settle((5, 4, 2)) == (4,)
    assert [layer.name for layer in stack.layers] == [
        *("conv_0", "batch_norm_0", "activation_0", "conv_1", "flatten_0", "dropout_0", "noisy_dense_0", "dense_0")
    ]
    stack(drawn(1, 5, 4, 2))
    assert stack.weights[0].path == "torso/conv_0/kernel"
    assert stack.compute_output_shape((None, 5, 4, 2)) == (None, 4)


def test_a_stack_of_everything_acts() -> None:
    acts_alike(Stack(PARTS, 0), drawn(3, 5, 4, 2))


def test_an_empty_stack_changes_nothing() -> None:
    stack = Stack((), 0)
    assert stack.settle((3, 2)) == (3, 2)
    assert out(stack, np.ones((1, 3, 2))).tolist() == np.ones((1, 3, 2)).tolist()


def kernels(parts: tuple[Any, ...]) -> dict[str, np.ndarray]:
    stack = Stack(parts, 3, name="s")
    stack(drawn(1, 5))
    return {weight.path: np.asarray(weight) for weight in stack.weights if weight.path.endswith("kernel")}


def test_a_layer_put_between_shifts_no_other_kinds_weights() -> None:
    plain = kernels((Dense(units=5), Dense(units=5)))
    more = kernels((Dense(units=5), NoisyDense(units=5), Dropout(rate=0.1), Dense(units=5)))
    assert set(plain) < set(more)
    assert all(np.array_equal(kernel, more[path]) for path, kernel in plain.items())
    assert not np.array_equal(plain["s/dense_0/kernel"], plain["s/dense_1/kernel"])


def test_a_layer_is_given_the_shape_that_reaches_it() -> None:
    with pytest.raises(Mismatch, match=r"layer 'conv' takes \[height, width, channels\], got shape \[18\]"):
        Vector(scheme=(Dense(units=18), Conv(filters=2, size=2))).build(Box((4,)), 0)
    layer = Middleware(scheme=(Conv(filters=2, size=2),)).build(0)
    with pytest.raises(Mismatch, match=r"layer 'conv' takes \[height, width, channels\], got shape \[7\]"):
        layer(drawn(2, 7))
