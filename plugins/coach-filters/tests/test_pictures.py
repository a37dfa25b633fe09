"""Filters of pictures, by hand, as laws and against loops."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coach_filters import opencv
from coach_filters.clipping import Clipping
from coach_filters.observation.crop import Crop
from coach_filters.observation.move_axis import MoveAxis
from coach_filters.observation.rescale_size_by_factor import RescaleSizeByFactor
from coach_filters.observation.rescale_to_size import RescaleToSize
from coach_filters.observation.rgb_to_y import RGBToY
from coach_filters.observation.squeeze import Squeeze
from coach_filters.observation.stacking import Stacking
from coach_filters.observation.to_uint8 import ToUInt8
from coach_filters.resizing import shares
from coachcore.api import BadSetting, Box, Discrete, Mismatch, Rows

ROWS = Rows(np.arange(1), first=True)
PARTS = (
    Crop(low=(1,)),
    MoveAxis(origin=0, target=1),
    RescaleSizeByFactor(factor=2),
    RescaleToSize(size=(2, 2)),
    RGBToY(),
    Squeeze(),
    ToUInt8(),
)


def bytes_box(*shape):
    return Box(shape, 0, 255, "uint8")


def out(part, values, space=None):
    values = np.asarray(values)
    space = space or Box(values.shape, 0, 255, "uint8" if values.dtype == np.uint8 else "float32")
    return part(part.init(space, 1), values[None], ROWS)[1][0]


@pytest.mark.parametrize("part", PARTS)
def test_discrete_values_are_refused(part):
    with pytest.raises(Mismatch, match="needs a space of real numbers"):
        part.space(Discrete(4))


# rgb-to-y


def test_brightness_by_hand():
    assert out(RGBToY(), [[[100.0, 200.0, 50.0]]]) == pytest.approx(29.9 + 117.4 + 5.7)
    assert out(RGBToY(), np.array([[[100, 200, 50], [255, 255, 255], [0, 0, 0]]], np.uint8)).tolist() == [[153, 255, 0]]
    assert RGBToY().space(bytes_box(20, 30, 3)) == bytes_box(20, 30)


@given(arrays(np.uint8, (2, 3, 3)))
def test_bytes_are_within_one_of_the_real_shares(picture):
    assert np.abs(out(RGBToY(), picture) - picture @ [0.299, 0.587, 0.114]).max() <= 0.5 + 0.02


@pytest.fixture
def without_opencv(monkeypatch):
    monkeypatch.setitem(sys.modules, "cv2", None)
    opencv.brightness.cache_clear()
    yield
    opencv.brightness.cache_clear()


def every_third_colour():
    steps = np.arange(0, 256, 3, dtype=np.uint8)
    return np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(86, -1, 3)


def test_without_opencv_the_same_bytes_come_out(without_opencv):
    assert opencv.brightness() is None
    colours = every_third_colour()
    exact = (colours.astype(np.int64) @ [9798, 19235, 3735] + (1 << 14)) >> 15
    np.testing.assert_array_equal(out(RGBToY(), colours), exact)
    window = np.zeros((100, 500, 3), np.uint8)
    window[:86] = 1
    window[:86, :400] = colours[:, :400]  # rows and columns of a larger picture
    np.testing.assert_array_equal(out(RGBToY(), window[:86, :400]), exact[:, :400])


def test_with_opencv_the_same_bytes_come_out():
    pytest.importorskip("cv2")
    assert opencv.brightness() is not None
    colours = every_third_colour()
    exact = (colours.astype(np.int64) @ [9798, 19235, 3735] + (1 << 14)) >> 15
    np.testing.assert_array_equal(out(RGBToY(), colours), exact)
    several = np.stack([colours, colours[::-1]])
    np.testing.assert_array_equal(
        RGBToY()(None, several[:, :50, 3:], ROWS)[1], np.stack([exact, exact[::-1]])[:, :50, 3:]
    )


def test_an_opencv_that_rounds_otherwise_is_not_used(monkeypatch):
    other = SimpleNamespace(COLOR_RGB2GRAY=7, cvtColor=lambda picture, code: picture[..., 1])
    monkeypatch.setitem(sys.modules, "cv2", other)
    opencv.brightness.cache_clear()
    assert opencv.brightness() is None
    opencv.brightness.cache_clear()


def test_three_channels_last_are_asked_for():
    with pytest.raises(Mismatch, match=r"pictures \[H, W, 3\], got values of shape \(3, 8, 8\)"):
        RGBToY().space(bytes_box(3, 8, 8))


# rescale-to-size


def slowly(picture, height, width):
    """Slow twin: the mean over the area of each new pixel, in steps so small that they never straddle two old ones."""
    fine = picture.astype(np.float64).repeat(height, axis=0).repeat(width, axis=1)
    rows, columns = picture.shape[:2]
    return fine.reshape(height, rows, width, columns, -1).mean(axis=(1, 3)).reshape(height, width, *picture.shape[2:])


@given(
    arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9)) | st.tuples(*[st.integers(1, 4)] * 3)),
    st.integers(1, 9),
    st.integers(1, 9),
)
def test_each_pixel_is_the_mean_of_those_under_it(picture, height, width):
    wanted = slowly(picture, height, width)
    assert np.abs(out(RescaleToSize(size=(height, width)), picture).astype(float) - wanted).max() <= 0.5 + 1e-3
    real = out(RescaleToSize(size=(height, width)), picture.astype(np.float32))
    assert real == pytest.approx(wanted, abs=1e-3)


def test_halving_by_hand():
    assert out(RescaleToSize(size=(1, 2)), np.array([[0, 10, 20, 20], [0, 10, 20, 23]], np.uint8)).tolist() == [[5, 21]]


@pytest.mark.parametrize("shape", [(20, 30, 3), (20, 30, 1), (20, 30)])
def test_ones_stay_ones(shape):
    assert (out(RescaleToSize(size=(10, 20)), np.ones(shape, np.uint8)) == 1).all()


@given(st.integers(1, 250), st.integers(1, 250))
def test_shares_are_whole_numbers_and_every_old_pixel_counts_alike(before, after):
    found = shares(before, after)
    new, old = found.shape
    assert (found == np.rint(found)).all()
    assert set(found.sum(axis=1)) == {found[0].sum()}
    assert set(found.sum(axis=0)) == {found[:, 0].sum()}
    assert before % old == after % new == 0
    assert before // old == after // new


@given(
    arrays(np.uint8, st.sampled_from([(16, 16), (21, 10, 3), (30, 42)])), st.sampled_from([(4, 12), (84, 8), (7, 9)])
)
def test_bytes_are_the_exact_means_with_halves_to_the_even_number(picture, size):
    height, width = picture.shape[:2]
    fine = picture.astype(np.int64).repeat(size[0], axis=0).repeat(size[1], axis=1)
    sums = fine.reshape(size[0], height, size[1], width, -1).sum(axis=(1, 3)).reshape(*size, *picture.shape[2:])
    np.testing.assert_array_equal(out(RescaleToSize(size=size), picture), np.rint(sums / (height * width)))


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ((3, 10, 20), r"shape \(3, 10, 20\) seem to have their channels first - put 'move-axis' before"),
        ((4,), r"only pictures \[H, W\] or \[H, W, C\]"),
    ],
)
def test_what_is_no_picture_is_not_rescaled(shape, said):
    with pytest.raises(Mismatch, match=said):
        RescaleToSize(size=(2, 2)).space(bytes_box(*shape))


def test_a_size_has_two_sides():
    with pytest.raises(BadSetting, match=r"size is height and width, such as \[84, 84\], got \[84\]"):
        RescaleToSize(size=(84,))


@pytest.mark.parametrize(
    ("factor", "before", "after"), [(0.5, (20, 30, 3), (10, 15, 3)), (2, (20, 30), (40, 60)), (0.5, (5, 7), (3, 4))]
)
def test_a_factor_is_a_size(factor, before, after):
    values = np.random.default_rng(0).integers(0, 256, before, np.uint8)
    part = RescaleSizeByFactor(factor=factor)
    assert part.space(bytes_box(*before)) == bytes_box(*after)
    np.testing.assert_array_equal(out(part, values), out(RescaleToSize(size=after[:2]), values))


def test_factors_that_leave_nothing():
    with pytest.raises(
        Mismatch, match=r"^rescale-size-by-factor: nothing is left of 4 x 30 pixels times 0\.1 - use a larg"
    ):
        RescaleSizeByFactor(factor=0.1).space(bytes_box(4, 30))
    with pytest.raises(BadSetting, match=r"^factor: 0 is out of range - must be > 0$"):
        RescaleSizeByFactor(factor=0)
    with pytest.raises(BadSetting, match=r"^factor: no picture has inf times its size - give a finite factor$"):
        RescaleSizeByFactor(factor=np.inf)


def test_maps_keep_their_names_and_bounds():
    space = Box((20, 30, 2), 0, (1, 9), names=("height", "owner"))
    assert RescaleToSize(size=(10, 10)).space(space) == Box((10, 10, 2), 0, (1, 9), names=("height", "owner"))


# to-uint8


def test_bytes_by_hand():
    part = ToUInt8(low=-1, high=1)
    assert out(part, [-1.0, 0.0, 1.0, 0.999, -7.0, 7.0]).tolist() == [0, 128, 255, 255, 0, 255]
    assert part.space(Box((6,))) == bytes_box(6)


def test_the_range_of_the_space_is_what_is_meant_otherwise():
    assert out(ToUInt8(), [0.0, 2.0, 5.0], Box((3,), 0, 5)).tolist() == [0, 102, 255]
    with pytest.raises(Mismatch, match=r"to-uint8 needs a finite range, got -inf to 1\.0 - give low and high"):
        ToUInt8(high=1.0).space(Box((3,)))
    with pytest.raises(BadSetting, match="low must lie below high, got low 2 and high 2"):
        ToUInt8(low=2, high=2)


@given(arrays(np.uint8, (5,)))
def test_bytes_stay_what_they_are(values):
    assert out(ToUInt8(low=0, high=255), values.astype(np.float32)).tolist() == values.tolist()


# crop, move-axis, squeeze


def test_a_window():
    values = np.arange(10 * 20 * 30, dtype=np.float32).reshape(10, 20, 30)
    space = Box(values.shape)
    part = Crop(low=(0, 5, 10), high=(5, 10, 20))
    assert part.space(space).shape == (5, 5, 10)
    np.testing.assert_array_equal(out(part, values), values[0:5, 5:10, 10:20])
    assert Crop(high=(-1, 10, 20)).space(space).shape == (10, 10, 20)
    assert Crop(low=(9, 0, 1)).space(space).shape == (1, 20, 29)


def test_a_window_keeps_names_and_bounds():
    space = Box((3,), (0, 1, 2), (5, 6, 7), names=("a", "b", "c"))
    assert Crop(low=(1,)).space(space) == Box((2,), (1, 2), (6, 7), names=("b", "c"))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "nothing to cut off"),
        ({"low": (1,), "high": (2, 3)}, "low has 1 numbers and high 2"),
        ({"low": (3,), "high": (2,)}, "nothing is left from low"),
        ({"low": (-1,)}, "low: -1 is out of range"),
        ({"high": (-2,)}, "high: -2 is out of range"),
    ],
)
def test_windows_that_make_no_sense(settings, said):
    with pytest.raises(BadSetting, match=said):
        Crop(**settings)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"high": (2,)}, r"1 edges do not fit values of shape \(4, 4\)"),
        ({"high": (5, 4)}, "does not lie within"),
        ({"low": (4, 0)}, "does not lie within"),
    ],
)
def test_windows_that_do_not_fit(settings, said):
    with pytest.raises(Mismatch, match=said):
        Crop(**settings).space(Box((4, 4)))


@pytest.mark.parametrize(("origin", "target"), [(0, 2), (0, -1), (-1, 0), (2, -2), (1, -3), (1, 1)])
def test_an_axis_moves_as_numpy_moves_it(origin, target):
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    part, space = MoveAxis(origin=origin, target=target), Box((2, 3, 4), -values, values)
    np.testing.assert_array_equal(out(part, values), np.moveaxis(values, origin, target))
    np.testing.assert_array_equal(part.space(space).high, np.moveaxis(values, origin, target))


def test_axes_that_are_not_there():
    with pytest.raises(Mismatch, match=r"there is no axis 3 in values of shape \(2, 3, 4\)"):
        MoveAxis(origin=0, target=3).space(Box((2, 3, 4)))
    with pytest.raises(Mismatch, match="there is no axis -2"):
        Squeeze(axis=-2).space(Box((1,)))
    with pytest.raises(Mismatch, match="axis 0 has length 2; only one of length 1 can go"):
        Squeeze(axis=0).space(Box((2, 1)))


@pytest.mark.parametrize(("axis", "shape"), [(None, (20, 30, 3)), (2, (20, 30, 3)), (-2, (20, 30, 3))])
def test_an_axis_of_length_one_goes(axis, shape):
    values = np.zeros((20, 30, 1, 3), np.uint8)
    assert out(Squeeze(axis=axis), values).shape == Squeeze(axis=axis).space(bytes_box(20, 30, 1, 3)).shape == shape


def test_one_environment_alone_keeps_its_axis():
    assert Squeeze()(None, np.zeros((1, 1, 1)), ROWS)[1].shape == (1,)


def test_the_way_of_an_atari_picture():
    """210 x 160 colours, as the old system's bundle made them 84 x 84 x 4."""
    space, values = bytes_box(210, 160, 3), np.full((1, 210, 160, 3), 200, np.uint8)
    chain = (
        RGBToY(),
        RescaleToSize(size=(110, 84)),
        Crop(low=(16, 0), high=(100, 84)),
        Stacking(size=4),
        Clipping(high=100),
    )
    for part in chain:
        _, values = part(part.init(space, 1), values, ROWS)
        space = part.space(space)
        assert space.contains(values)
    assert (values.shape, values.dtype, values.max()) == ((1, 84, 84, 4), np.uint8, 100)
