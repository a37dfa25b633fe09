"""Convolutions: by hand, against a slow twin, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore.acting import ActingNetwork
from coachcore.errors import BadCheckpoint

IMAGE = [[[1], [2], [3]], [[4], [5], [6]], [[7], [8], [9]]]  # [3, 3, 1]


def conv(single, shape, size, **facts):
    defaults = {"kernel": 0, "bias": 1, "strides": [1, 1], "padding": "valid", "activation": "linear"}
    return single("conv", [shape], [size, [size[-1]]], **defaults | facts)


def test_valid_slides_within_the_image(single, act) -> None:
    program = conv(single, [3, 3, 1], [2, 2, 1, 1])
    assert act(program, [1, 10, 100, 1000, 0.5], [IMAGE])[0, :, :, 0].tolist() == [[5421.5, 6532.5], [8754.5, 9865.5]]


def test_same_pads_behind_first(single, act) -> None:
    """Three places of stride 1 need one zero more than there is: it goes below and to the right."""
    out = act(conv(single, [3, 3, 1], [2, 2, 1, 1], padding="same"), [1, 10, 100, 1000, 0], [IMAGE])
    assert out[0, :, :, 0].tolist() == [[5421, 6532, 603], [8754, 9865, 906], [87, 98, 9]]


def test_same_with_strides_pads_as_tensorflow_does(single, act) -> None:
    """Length 4, kernel 3, stride 2: two places and one zero, behind; length 3: one zero on either side."""
    image = [[[1], [2], [3], [4]]] * 3  # [3, 4, 1]
    out = act(conv(single, [3, 4, 1], [3, 3, 1, 1], padding="same", strides=[2, 2]), [*[1] * 9, 0], [image])
    assert out[0, :, :, 0].tolist() == [[12, 14], [12, 14]]


def test_a_stride_longer_than_the_kernel_leaves_numbers_out(single, act) -> None:
    for padding in ("valid", "same"):
        program = conv(single, [3, 3, 1], [1, 1, 1, 1], strides=[2, 2], padding=padding)
        assert act(program, [1, 0], [IMAGE])[0, :, :, 0].tolist() == [[1, 3], [7, 9]]


def test_channels_filters_bias_and_activation(single, act) -> None:
    program = conv(single, [1, 1, 2], [1, 1, 2, 3], activation="relu")
    assert act(program, [1, 2, 3, 10, 20, -30, 0.5, 0, 1], [[[[1, 2]]]]).tolist() == [[[[21.5, 42, 0]]]]
    assert act(conv(single, [1, 1, 2], [1, 1, 2, 3], bias=None), [1, 2, 3, 10, 20, -30, 9, 9, 9], [[[[1, 2]]]])[
        0, 0, 0
    ].tolist() == [21, 42, -57]


def test_images_of_bytes_are_scaled_then_convolved(single) -> None:
    program = conv(single, [2, 2, 1], [2, 2, 1, 1])
    program["ops"][0]["inputs"] = ["scaled"]
    program["ops"].insert(0, {"op": "scale", "inputs": ["x0"], "output": "scaled", "rescaling": 255.0})
    network = ActingNetwork(program)
    network.load(np.array([1, 1, 1, 1, 0], np.float32))
    image = np.array([[[[255], [0]], [[51], [102]]]], np.uint8)
    assert network({"x0": image})["out"].item() == pytest.approx(1.6)


@given(
    count=st.integers(1, 8), seed=st.integers(0, 999), padding=st.sampled_from(["valid", "same"]),
    size=st.tuples(st.integers(1, 7), st.integers(1, 7)), kernel=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    strides=st.tuples(st.integers(1, 4), st.integers(1, 4)), depths=st.tuples(st.integers(1, 3), st.integers(1, 3)),
)  # fmt: skip
def test_it_equals_its_slow_twin(single, act, count, seed, padding, size, kernel, strides, depths) -> None:
    rng = np.random.default_rng(seed)
    program = conv(single, [*size, depths[0]], [*kernel, *depths], padding=padding, strides=list(strides))
    if padding == "valid" and (kernel[0] > size[0] or kernel[1] > size[1]):
        with pytest.raises(BadCheckpoint, match="larger than its input"):
            ActingNetwork(program)
        return
    x = rng.standard_normal((count, *size, depths[0]))
    weights, bias = rng.standard_normal((*kernel, *depths)), rng.standard_normal(depths[1])
    slow = [_slowly(image, weights, strides, padding) + bias for image in x]
    np.testing.assert_allclose(act(program, [weights, bias], x), slow, rtol=1e-4, atol=1e-4)


def _slowly(image, kernel, strides, padding):
    """One number at a time; numbers outside of the image are zero."""
    (rows, columns, _), (down, right, _, filters) = image.shape, kernel.shape
    starts = []
    for length, size, stride in zip((rows, columns), (down, right), strides, strict=True):
        if padding == "valid":
            starts.append(list(range(0, length - size + 1, stride)))
            continue
        places = math.ceil(length / stride)
        missing = max((places - 1) * stride + size - length, 0)
        starts.append([place * stride - missing // 2 for place in range(places)])
    out = np.zeros((len(starts[0]), len(starts[1]), filters))
    for i, top in enumerate(starts[0]):
        for j, left in enumerate(starts[1]):
            for a, b in np.ndindex(down, right):
                if 0 <= top + a < rows and 0 <= left + b < columns:
                    out[i, j] += image[top + a, left + b] @ kernel[a, b]
    return out


@pytest.mark.parametrize(
    "facts",
    [
        {"strides": [1]},
        {"strides": [1, 1, 1]},
        {"strides": [0, 1]},
        {"strides": [1, -1]},
        {"strides": [1.0, 1.0]},
        {"strides": 1},
        {"padding": "full"},
        {"padding": None},
        {"padding": []},
        {"kernel": 1},
        {"kernel": -2},
        {"kernel": 2},
        {"bias": 0},
        {"bias": -1},
        {"activation": "swoosh"},
    ],
)
def test_odd_facts_are_a_bad_checkpoint(single, facts) -> None:
    with pytest.raises(BadCheckpoint):
        ActingNetwork(conv(single, [3, 3, 1], [2, 2, 1, 1], **facts))


@pytest.mark.parametrize("missing", ["strides", "padding", "kernel"])
def test_facts_left_out_are_a_bad_checkpoint(single, missing) -> None:
    program = conv(single, [3, 3, 1], [2, 2, 1, 1])
    del program["ops"][0][missing]
    with pytest.raises(BadCheckpoint, match=f"damaged \\(KeyError: '{missing}'"):
        ActingNetwork(program)


@pytest.mark.parametrize("shape", [[3, 3], [3, 3, 2], [1, 3, 1], [3, 1, 1], [3, 3, 3, 1], []])
def test_an_input_that_does_not_fit_is_a_bad_checkpoint(single, shape) -> None:
    with pytest.raises(BadCheckpoint):
        ActingNetwork(conv(single, shape, [2, 2, 1, 1]))
