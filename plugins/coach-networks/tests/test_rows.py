"""Rows on their way into the update: by hand, and there and back again for any columns."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_problems import Toy, drawn, problem

from coach_networks import rows
from coachcore.api import Box, Column, DataSpec, Discrete, Layout, Problem, Sample, Spaces, Streams

NOISE = (Column("a"), Column("b", (2,)))


def made(*, weighted: bool = False, noise: tuple[Column, ...] = (), keep: tuple[Column, ...] = ()) -> Problem:
    return problem(Toy(given=DataSpec(noise=noise, keep=keep)), keep=keep, weighted=weighted)


def filled(given: Problem, sample: Sample, seed: int = 0) -> np.ndarray:
    into = np.full((*sample.packed.shape[:2], rows.width(given)), np.nan, np.float32)
    rows.fill(into, given, sample, slice(None), Streams(seed)["noise"])
    return into


@pytest.mark.parametrize(
    ("weighted", "noise", "width"), [(False, (), 9), (True, (), 10), (False, NOISE, 12), (True, NOISE, 13)]
)
def test_a_row_is_the_layouts_then_its_weight_then_noise(weighted: bool, noise: Any, width: int) -> None:
    given, sample = made(weighted=weighted, noise=noise), drawn(2)
    assert rows.width(given) == width
    if weighted:
        sample = sample._replace(weight=np.arange(8, dtype=np.float32).reshape(2, 4))
    into = filled(given, sample, seed=5)
    assert np.array_equal(into[:, :, :9], sample.packed)
    if weighted:
        assert np.array_equal(into[:, :, 9], sample.weight)
    if noise:
        assert np.array_equal(into[:, :, -3:], Streams(5)["noise"].standard_normal((2, 4, 3), np.float32))


def test_rows_without_weights_of_their_own_weigh_one() -> None:
    assert filled(made(weighted=True), drawn(2))[:, :, 9].tolist() == [[1.0] * 4] * 2


def test_without_noise_nothing_is_drawn() -> None:
    stream = Streams(0)["noise"]
    before = stream.bit_generator.state
    rows.fill(np.zeros((2, 4, 9), np.float32), made(), drawn(2), slice(None), stream)
    assert stream.bit_generator.state == before


def test_single_calls_take_their_own_minibatch() -> None:
    given, sample = made(weighted=True), drawn(3)._replace(weight=np.arange(12, dtype=np.float32).reshape(3, 4))
    into = np.zeros((1, 4, 10), np.float32)
    rows.fill(into, given, sample, slice(1, 2), Streams(0)["noise"])
    assert np.array_equal(into[0, :, :9], sample.packed[1])
    assert into[0, :, 9].tolist() == [4, 5, 6, 7]


def test_a_row_becomes_a_batch_again() -> None:
    given = made(weighted=True, noise=NOISE, keep=(Column("kept", (2, 2)),))
    row = np.arange(2 * rows.width(given), dtype=np.float32).reshape(2, -1)
    batch, importance = rows.unpack(given, row, [])
    plain = {name: np.asarray(values).tolist() for name, values in (batch.obs | batch.noise | batch.extras).items()}
    assert plain["observation"] == [[0, 1, 2], [17, 18, 19]]
    assert np.asarray(batch.action).tolist() == [3, 20]
    assert np.asarray(batch.reward).tolist() == [4, 21]
    assert np.asarray(batch.discount).tolist() == [5, 22]
    assert np.asarray(batch.next_obs["observation"]).tolist() == [[6, 7, 8], [23, 24, 25]]
    assert plain["kept"] == [[[9, 10], [11, 12]], [[26, 27], [28, 29]]]
    assert np.asarray(importance).tolist() == [13, 30]
    assert (plain["a"], plain["b"]) == ([14, 31], [[15, 16], [32, 33]])


def test_rows_that_are_used_once_have_advantages_and_no_rewards() -> None:
    given = made()
    layout = Layout.of(given.spaces, (Column("value"),), fresh=True)
    batch, importance = rows.unpack(attrs.evolve(given, layout=layout), np.arange(7, dtype=np.float32)[None], [])
    assert (batch.reward, batch.discount, batch.next_obs, importance) == (None, None, {}, None)
    assert {name: np.asarray(v).tolist() for name, v in batch.extras.items()} == {
        "value": [4], "advantage": [5], "return": [6]
    }  # fmt: skip


def test_boxes_of_actions_stay_real() -> None:
    spaces = Spaces(observation={"observation": Box((1,))}, action=Box((2,)))
    given = attrs.evolve(made(), spaces=spaces, layout=Layout.of(spaces))
    batch, _ = rows.unpack(given, np.array([[0, 0.5, -0.5, 1, 1, 2]], np.float32), [])
    assert np.asarray(batch.action).tolist() == [[0.5, -0.5]]


SIZES = st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 3))


@settings(deadline=None, max_examples=15)
@given(SIZES, st.integers(1, 2))
def test_pictures_travel_plane_by_plane_and_arrive_as_they_were(size: tuple[int, int, int], calls: int) -> None:
    spaces = Spaces(observation={"camera": Box(size, 0, 255, "uint8"), "speed": Box((2,))}, action=Discrete(2))
    given = attrs.evolve(made(), spaces=spaces, layout=Layout.of(spaces, (Column("marks", (3,), "uint8"),)))
    rng, height, width, channels = np.random.default_rng(0), *size
    apart = {c.name: rng.integers(0, 256, (calls, 4, *c.shape), np.uint8) for c in given.layout.apart}
    packed = np.zeros((calls, 4, given.layout.width), np.float32)
    columns = rows.apart(given, Sample(np.zeros((calls, 4)), packed, None, apart), slice(None))
    assert rows.apart_shapes(given) == [(channels, height, width), (channels, height, width), (3,)]
    assert [values.shape[2:] for values in columns] == rows.apart_shapes(given)
    batch, _ = rows.unpack(given, packed[0], [np.ascontiguousarray(values[0]) for values in columns])
    assert np.array_equal(np.asarray(batch.obs["camera"]), apart["obs.camera"][0])
    assert np.array_equal(np.asarray(batch.next_obs["camera"]), apart["next_obs.camera"][0])
    assert np.array_equal(np.asarray(batch.extras["marks"]), apart["marks"][0])


def test_means_are_over_what_was_measured() -> None:
    nan, inf = np.nan, np.inf
    found = rows.mean(np.array([[1.0, nan, nan, inf], [3.0, 5.0, nan, 1.0]], np.float32))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, [2.0, 5.0, nan, inf])
