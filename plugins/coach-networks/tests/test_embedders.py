"""Embedders: the old system's widths, scaling by hand, what they refuse, and that NumPy acts as Keras does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from parity import acting_of, acts_alike, drawn, filled, out

from coach_networks.embedders.image import Image
from coach_networks.embedders.tensor import Tensor
from coach_networks.embedders.vector import Vector
from coach_networks.layers.parts import Conv, Dense, NoisyDense
from coachcore.api import BadSetting, Box, Discrete, Mismatch

BYTES = Box((44, 40, 2), 0, 255, "uint8")
SMALL = (Conv(filters=4, size=3), Conv(filters=3, size=2, stride=2), Dense(units=5))


@pytest.mark.parametrize(
    ("scheme", "features"),
    [("empty", 10), ("shallow", 128), ("medium", 256), ("deep", 128), ((7, 5), 5), ((NoisyDense(units=6),), 6)],
)
def test_widths_of_vectors(scheme: Any, features: int) -> None:
    assert out(Vector(scheme=scheme).build(Box((10,)), 0), np.ones((3, 10))).shape == (3, features)


@pytest.mark.parametrize(("scheme", "features"), [("medium", 5184), ("deep", 256), ("shallow", 98 * 98 * 32)])
def test_widths_of_images(scheme: str, features: int) -> None:
    layer = Image(scheme=scheme).build(Box((100, 100, 10), 0, 255, "uint8"), 0)
    assert np.asarray(layer(np.zeros((1, 100, 100, 10), np.uint8))).shape == (1, features)


def test_the_network_of_the_nature_paper() -> None:
    layer = Image().build(Box((84, 84, 4), 0, 255, "uint8"), 0)
    assert layer.settle((84, 84, 4)) == (3136,)  # 7 x 7 x 64
    layer(np.zeros((1, 84, 84, 4), np.uint8))
    kernels = [tuple(weight.shape) for weight in layer.weights if weight.path.endswith("kernel")]
    assert kernels == [(8, 8, 4, 32), (4, 4, 32, 64), (3, 3, 64, 64)]


@pytest.mark.parametrize("scheme", ["empty", "shallow", "medium", (Conv(filters=2, size=3), Dense(units=4))])
def test_numpy_sees_images_as_keras_does(scheme: Any) -> None:
    layer = Image(scheme=scheme, activation="tanh").build(BYTES, 1)
    pixels = np.random.default_rng(0).integers(0, 256, (3, *BYTES.shape), dtype=np.uint8)
    wanted = np.asarray(filled(layer, pixels)(pixels))
    np.testing.assert_allclose(acting_of(layer, BYTES.shape)({"x": pixels})["y"], wanted, rtol=1e-5, atol=1e-5)
    assert wanted.ndim == 2
    assert wanted.std() > 0


def test_numpy_acts_as_keras_does() -> None:
    given = {"input_rescaling": 3, "input_offset": 0.1, "input_clipping": (-0.4, 0.3)}
    acts_alike(Vector(scheme=(8, 6), activation="selu", **given).build(Box((5,)), 1), drawn(4, 5))
    acts_alike(Tensor(scheme=(8, 6), **given).build(Box((5, 2)), 1), drawn(4, 5, 2))
    acts_alike(Tensor(scheme=SMALL).build(Box((7, 7, 3)), 1), drawn(4, 7, 7, 3))
    acts_alike(Image(scheme=SMALL, input_offset=0.5).build(Box((7, 7, 3)), 1), drawn(4, 7, 7, 3))


@pytest.mark.parametrize("part", [Vector(scheme="empty"), Tensor(scheme=()), Image(scheme="empty")])
def test_without_layers_any_shape_is_flattened(part: Any) -> None:
    x = np.arange(12.0).reshape(1, 2, 3, 2)
    assert out(part.build(Box((2, 3, 2)), 0), x).tolist() == [list(range(12))]


@pytest.mark.parametrize("part", [Vector, Tensor, Image])
def test_scaling_by_hand(part: Any) -> None:
    layer = part(scheme=(), input_rescaling=2, input_offset=1, input_clipping=(-2, 0.5)).build(Box((1, 1, 3)), 0)
    assert out(layer, [[[[4, -6, 2.5]]]]).tolist() == [[0.5, -2, 0.25]]


def test_bytes_become_floats() -> None:
    layer = Vector(scheme="empty", input_rescaling=255).build(Box((2,), 0, 255, dtype="uint8"), 0)
    assert np.asarray(layer(np.array([[0, 255]], np.uint8))).tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize(
    ("space", "by"),
    [
        (Box((1, 1, 1), 0, 255, "uint8"), 255),
        (Box((1, 1, 1), 0, 1, "uint8"), 255),
        (Box((1, 1, 1), 0, 255), 255),
        (Box((1, 1, 1), 0, 1), 1),
        (Box((1, 1, 1)), 1),
    ],
)
def test_images_are_divided_by_what_they_reach_to(space: Box, by: int) -> None:
    x = np.array([[[[51]]]], space.dtype)
    assert np.asarray(Image(scheme="empty").build(space, 0)(x))[0, 0] == pytest.approx(51 / by)
    assert np.asarray(Image(scheme="empty", input_rescaling=3).build(space, 0)(x))[0, 0] == pytest.approx(17)


@pytest.mark.parametrize("space", [Box((10, 10)), Box(()), Discrete(3)])
def test_what_is_not_a_vector_is_refused(space: Any) -> None:
    with pytest.raises(Mismatch, match="'vector' takes vectors"):
        Vector().build(space, 0)


@pytest.mark.parametrize("space", [Box((10,)), Box((2, 4, 4, 3)), Box(()), Discrete(3)])
def test_what_is_not_an_image_is_refused(space: Any) -> None:
    with pytest.raises(Mismatch, match=r"'image' takes \[height, width, channels\], got shape"):
        Image().build(space, 0)


def test_an_image_without_channels_is_told_to_add_them() -> None:
    for scheme in ("empty", "medium"):
        with pytest.raises(Mismatch, match=r"\[84, 84\] without channels; add an axis .* becomes \[84, 84, 1\]"):
            Image(scheme=scheme).build(Box((84, 84), 0, 255, "uint8"), 0)


@pytest.mark.parametrize(("scheme", "least"), [("shallow", 3), ("medium", 36), ("deep", 93)])
def test_the_smallest_image_of_each_scheme(scheme: str, least: int) -> None:
    part = Image(scheme=scheme)
    part.build(Box((least, least, 3)), 0)
    with pytest.raises(Mismatch, match=rf"scheme '{scheme}' does not take {least - 1} x {least}: .* is too small"):
        part.build(Box((least - 1, least, 3)), 0)


def test_a_small_image_is_told_to_bring_its_own_layers() -> None:
    words = (
        r"scheme 'medium' does not take 7 x 7: .*for small images list layers of your own: scheme = \[\{ use = \"conv\""
    )
    with pytest.raises(Mismatch, match=words):
        Image().build(Box((7, 7, 3), 0, 255, "uint8"), 0)
    assert out(Image(scheme=SMALL).build(Box((7, 7, 3)), 0), np.ones((2, 7, 7, 3))).shape == (2, 5)


@pytest.mark.parametrize("scheme", [(5, 4), (Conv(filters=3, size=2), NoisyDense(units=5), Dense(units=4)), SMALL])
def test_the_first_dense_layer_sees_the_whole_picture(scheme: Any) -> None:
    layer, x = Image(scheme=scheme).build(Box((6, 5, 2)), 0), drawn(1, 6, 5, 2)
    assert [type(inner).__name__ for inner in layer.layers].count("Flatten") == 1
    assert out(layer, x).ndim == 2
    shape = layer.settle((6, 5, 2))
    assert shape == ((5,) if scheme is SMALL else (4,))


def test_a_tensor_has_no_schemes_by_name() -> None:
    with pytest.raises(BadSetting, match="'tensor' has no scheme 'medium': list its layers"):
        Tensor(scheme="medium")
    with pytest.raises(BadSetting, match="a list of layers such as"):
        Tensor(scheme=({"use": "dense"},))
    with pytest.raises(Mismatch, match="got single numbers"):
        Tensor(scheme=()).build(Discrete(3), 0)


@pytest.mark.parametrize("part", [Vector, Tensor, Image])
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"activation": "swoosh"}, "not a choice"),
        ({"initializer": "zeros"}, "not a choice"),
        ({"input_rescaling": 0.0}, "out of range"),
        ({"input_clipping": (1.0,)}, "expected"),
        ({"input_clipping": (2.0, 1.0)}, "low <= high"),
    ],
)
def test_bad_settings_are_named(part: Any, given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting, match=words):
        part(scheme=(), **given)


def weights(part: Any, space: Box, seed: int) -> list[np.ndarray]:
    layer = part.build(space, seed)
    layer(np.ones((1, *space.shape), space.dtype))
    return [np.asarray(weight) for weight in layer.weights]


@pytest.mark.parametrize(("part", "space"), [(Vector(scheme=(8, 8)), Box((6,))), (Image(scheme=SMALL), Box((7, 7, 3)))])
def test_weights_follow_from_the_seed_alone(part: Any, space: Box) -> None:
    first, again, other = (weights(part, space, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])


def test_kernels_are_glorot_uniform_and_biases_zero() -> None:
    kernel, bias = weights(Vector(scheme=(400,)), Box((6,)), 0)
    limit = np.sqrt(6 / (6 + 400))
    assert np.abs(kernel).max() <= limit
    assert np.abs(kernel).max() > 0.99 * limit
    assert kernel.std() == pytest.approx(limit / np.sqrt(3), rel=0.03)
    assert not bias.any()


def test_kernels_are_orthogonal_where_asked() -> None:
    kernel, _ = weights(Vector(scheme=(4,), initializer="orthogonal"), Box((16,)), 0)
    np.testing.assert_allclose(kernel.T @ kernel, 2 * np.eye(4), atol=1e-5)
    (kernel, *_) = weights(Image(scheme="shallow", initializer="orthogonal"), Box((3, 3, 4)), 0)
    flat = kernel.reshape(36, 32)
    np.testing.assert_allclose(flat.T @ flat, 2 * np.eye(32), atol=1e-5)
