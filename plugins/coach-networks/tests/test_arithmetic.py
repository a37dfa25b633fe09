"""The arithmetic of losses: literal answers, laws, slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coach_networks.arithmetic import bellman, best, half_square, huber, least, pick, smoothed

VALUES = np.array([[1.0, 5.0, 3.0], [-1.0, -2.0, -3.0]], np.float32)
SIZES = st.tuples(st.integers(1, 6), st.integers(1, 5), st.integers(0, 999))


def drawn(rows: int, actions: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    values, chooser = rng.standard_normal((2, rows, actions)).astype(np.float32)
    return values, chooser, rng.integers(0, actions, rows)


def test_pick_by_hand() -> None:
    assert np.asarray(pick(VALUES, np.array([2, 0]))).tolist() == [3.0, -1.0]


def test_pick_reads_past_a_nan_and_an_infinity() -> None:
    values = np.array([[np.nan, 2.0, np.inf]], np.float32)
    assert np.asarray(pick(values, np.array([1]))).tolist() == [2.0]


def test_pick_takes_whole_numbers_kept_as_floats() -> None:
    assert np.asarray(pick(VALUES, np.array([1.0, 2.0], np.float32))).tolist() == [5.0, -3.0]


@settings(deadline=None)
@given(SIZES)
def test_pick_equals_its_slow_twin(sizes: tuple[int, int, int]) -> None:
    values, _, action = drawn(*sizes)
    assert np.asarray(pick(values, action)).tolist() == [row[a] for row, a in zip(values, action, strict=True)]


def test_best_by_hand() -> None:
    assert np.asarray(best(VALUES)).tolist() == [5.0, -1.0]
    chooser = np.array([[9.0, 0.0, 0.0], [0.0, 0.0, 1.0]], np.float32)
    assert np.asarray(best(VALUES, chooser)).tolist() == [1.0, -3.0]


def test_of_equals_the_first_is_chosen() -> None:
    assert np.asarray(best(VALUES, np.zeros((2, 3), np.float32))).tolist() == [1.0, -1.0]


@settings(deadline=None)
@given(SIZES)
def test_double_selection_equals_its_slow_twin_and_never_exceeds_the_maximum(sizes: tuple[int, int, int]) -> None:
    values, chooser, _ = drawn(*sizes)
    double = np.asarray(best(values, chooser))
    assert double.tolist() == [
        row[max(range(len(row)), key=by.__getitem__)] for row, by in zip(values, chooser, strict=True)
    ]
    assert np.all(double <= np.asarray(best(values)))
    assert np.array_equal(np.asarray(best(values, values)), np.asarray(best(values)))


def test_bellman_by_hand() -> None:
    wanted = bellman(np.array([1.0, 1.0]), np.array([0.5, 0.0]), np.array([4.0, 100.0]))
    assert np.asarray(wanted).tolist() == [3.0, 1.0]


def test_huber_by_hand() -> None:
    error = np.array([0.5, -0.5, 1.0, 3.0, -3.0], np.float32)
    assert np.asarray(huber(error)).tolist() == [0.125, 0.125, 0.5, 2.5, 2.5]
    assert np.asarray(huber(error, 2.0)).tolist() == [0.125, 0.125, 0.5, 4.0, 4.0]


def test_half_square_by_hand() -> None:
    assert np.asarray(half_square(np.array([3.0, -2.0], np.float32))).tolist() == [4.5, 2.0]


@settings(deadline=None)
@given(st.floats(-50, 50, width=32), st.floats(0.125, 10, width=32))
def test_huber_is_even_below_the_half_square_and_equal_inside(error: float, width: float) -> None:
    one = np.float32(error)
    lost = float(np.asarray(huber(one, width)))
    assert lost == float(np.asarray(huber(-one, width)))
    assert lost <= float(np.asarray(half_square(one))) * (1 + 1e-6)
    slow = 0.5 * error**2 if abs(error) <= width else width * (abs(error) - 0.5 * width)
    assert lost == pytest.approx(slow, rel=1e-5, abs=1e-30)


def test_least_by_hand() -> None:
    assert np.asarray(least(VALUES)).tolist() == [1.0, -3.0]
    assert np.asarray(least(VALUES[:, :1])).tolist() == [1.0, -1.0]


def test_smoothing_by_hand() -> None:
    action = np.array([[0.0, 0.0, 0.9, -0.9]], np.float32)
    noise = np.array([[1.0, -9.0, 9.0, -9.0]], np.float32)
    assert np.asarray(smoothed(action, noise, 0.25, 0.5)).tolist() == [[0.25, -0.5, 1.0, -1.0]]


@settings(deadline=None)
@given(SIZES, st.floats(0, 2, width=32), st.floats(0, 2, width=32))
def test_smoothing_equals_its_slow_twin(sizes: tuple[int, int, int], deviation: float, limit: float) -> None:
    action, noise, _ = drawn(*sizes)
    action = np.tanh(action)
    found = np.asarray(smoothed(action, noise, deviation, limit))
    assert np.all(np.abs(found) <= 1)
    assert np.all(np.abs(found - action) <= limit + 1e-6)
    for index in np.ndindex(action.shape):
        shaken = float(action[index]) + max(min(deviation * float(noise[index]), limit), -limit)
        assert found[index] == pytest.approx(max(min(shaken, 1), -1), abs=1e-6)
