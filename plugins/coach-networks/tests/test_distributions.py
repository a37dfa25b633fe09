"""Distributions of returns: projection and quantile loss by hand, their laws, and slow twins."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coach_networks.arithmetic import cross_entropy, entropy, huber, pick, project, quantile_huber

SUPPORT = np.array([0.0, 1.0, 2.0], np.float32)
DRAWS = st.tuples(st.integers(1, 5), st.integers(2, 9), st.integers(0, 999))


def plain(values: Any) -> Any:
    return np.asarray(values).tolist()


def drawn(rows: int, atoms: int, seed: int, spread: float = 3.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Atoms ``[B, K]``, probabilities ``[B, K]`` and an even support ``[K]`` over [-1, 2]."""
    rng = np.random.default_rng(seed)
    weights = rng.exponential(size=(rows, atoms))
    probs = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
    return (
        rng.uniform(-spread, spread, (rows, atoms)).astype(np.float32),
        probs,
        np.linspace(-1, 2, atoms, dtype=np.float32),
    )


def test_an_atom_shares_its_mass_between_its_neighbours() -> None:
    assert plain(project(np.array([[0.25]]), np.array([[1.0]]), SUPPORT)) == [[0.75, 0.25, 0.0]]
    moved = project(np.array([[0.5, 1.5, 1.5]], np.float32), np.array([[0.5, 0.25, 0.25]], np.float32), SUPPORT)
    assert plain(moved) == [[0.25, 0.5, 0.25]]


def test_an_atom_on_a_point_keeps_its_mass_there() -> None:
    atoms, probs = np.array([[0.0, 1.0, 2.0]], np.float32), np.array([[0.25, 0.25, 0.5]], np.float32)
    assert plain(project(atoms, probs, SUPPORT)) == plain(probs)


def test_an_atom_outside_moves_to_the_end() -> None:
    atoms, probs = np.array([[-9.0, 1.0, 1e6]], np.float32), np.array([[0.25, 0.25, 0.5]], np.float32)
    assert plain(project(atoms, probs, SUPPORT)) == plain(probs)


@settings(deadline=None)
@given(DRAWS)
def test_mass_is_kept_and_never_negative(sizes: tuple[int, int, int]) -> None:
    moved = np.asarray(project(*drawn(*sizes)))
    assert moved.min() >= 0
    assert moved.sum(axis=1) == pytest.approx(1.0, abs=1e-5)


@settings(deadline=None)
@given(DRAWS, st.floats(-1, 1, width=32))
def test_mass_is_kept_where_every_atom_falls_on_a_point(sizes: tuple[int, int, int], shift: float) -> None:
    _, probs, support = drawn(*sizes)
    spacing = float(support[1] - support[0])
    atoms = support[None] + np.float32(round(shift * len(support)) * spacing) + np.zeros_like(probs)
    assert np.asarray(project(atoms, probs, support)).sum(axis=1) == pytest.approx(1.0, abs=1e-5)


@settings(deadline=None)
@given(DRAWS)
def test_the_mean_is_kept_inside_the_support(sizes: tuple[int, int, int]) -> None:
    atoms, probs, support = drawn(*sizes)
    inside = np.clip(atoms, support[0], support[-1])
    mean = np.asarray(project(inside, probs, support)) @ support
    assert mean == pytest.approx((probs * inside).sum(axis=1), abs=1e-5)


@settings(deadline=None)
@given(DRAWS)
def test_projection_equals_its_slow_twin(sizes: tuple[int, int, int]) -> None:
    atoms, probs, support = drawn(*sizes)
    slow = np.zeros(probs.shape)
    spacing = (float(support[-1]) - float(support[0])) / (len(support) - 1)
    for row, (places, masses) in enumerate(zip(atoms, probs, strict=True)):
        for place, mass in zip(places, masses, strict=True):
            at = min(max((float(place) - float(support[0])) / spacing, 0.0), len(support) - 1.0)
            low = min(math.floor(at), len(support) - 2)
            slow[row, low] += mass * (low + 1 - at)
            slow[row, low + 1] += mass * (at - low)
    np.testing.assert_allclose(np.asarray(project(atoms, probs, support)), slow, atol=1e-5)


def test_cross_entropy_and_entropy_by_hand() -> None:
    logits = np.log(np.array([[0.25, 0.75]], np.float32))
    assert plain(cross_entropy(np.array([[1.0, 0.0]], np.float32), logits)) == pytest.approx([math.log(4)])
    even = np.array([[0.5, 0.5], [0.0, 1.0]], np.float32)
    assert plain(entropy(even)) == pytest.approx([math.log(2), 0.0])


@settings(deadline=None)
@given(DRAWS)
def test_cross_entropy_is_least_where_the_truth_is_told(sizes: tuple[int, int, int]) -> None:
    other, probs, _ = drawn(*sizes)
    least = np.asarray(entropy(probs))
    assert np.asarray(cross_entropy(probs, np.log(probs))) == pytest.approx(least, abs=1e-5)
    assert np.all(np.asarray(cross_entropy(probs, other)) >= least - 1e-5)


def test_cross_entropy_stays_finite_where_logits_lie_far_apart() -> None:
    assert plain(cross_entropy(np.array([[0.0, 1.0]], np.float32), np.array([[500.0, -500.0]], np.float32))) == [1000.0]


def test_quantile_huber_by_hand() -> None:
    # midpoints 1/4 and 3/4; errors of 0 and 2 against target 1 are 1 and -1, each half a square of 1/2
    two, one = np.array([[0.0, 2.0]], np.float32), np.array([[1.0]], np.float32)
    assert plain(quantile_huber(two, one)) == [0.25 * 0.5 + 0.25 * 0.5]
    assert plain(quantile_huber(two[:, ::-1], one)) == [0.75 * 0.5 + 0.75 * 0.5]
    # width 2 halves both, since the loss is divided by it; far out it is nearly |u|
    assert plain(quantile_huber(two, one, 2.0)) == [0.125]
    assert plain(quantile_huber(*np.array([[[0.0]], [[10.0]]], np.float32), 2.0)) == [0.5 * (10.0 - 1.0)]


def test_quantile_huber_is_a_mean_over_targets() -> None:
    assert plain(quantile_huber(np.array([[0.0]], np.float32), np.array([[1.0, -3.0]], np.float32))) == [
        0.5 * (0.5 + 2.5) / 2
    ]


@settings(deadline=None)
@given(st.floats(-50, 50, width=32), st.floats(0.125, 8, width=32))
def test_one_quantile_is_half_a_huber(error: float, width: float) -> None:
    lost = quantile_huber(np.array([[0.0]], np.float32), np.array([[error]], np.float32), width)
    half = 0.5 * float(np.asarray(huber(np.float32(error), width))) / width
    assert plain(lost) == [pytest.approx(half, rel=1e-5, abs=1e-30)]


@settings(deadline=None)
@given(DRAWS, st.floats(0.25, 4, width=32))
def test_quantile_huber_equals_its_slow_twin(sizes: tuple[int, int, int], width: float) -> None:
    quantiles, _, _ = drawn(*sizes)
    targets, _, _ = drawn(sizes[0], sizes[1] + 1, sizes[2] + 1)
    slow = []
    for given_row, wanted_row in zip(quantiles.tolist(), targets.tolist(), strict=True):
        lost = 0.0
        for i, one in enumerate(given_row):
            for wanted in wanted_row:
                u = wanted - one
                inner = min(abs(u), width)
                tau = (2 * i + 1) / (2 * len(given_row))
                lost += abs(tau - (u < 0)) * inner * (abs(u) - inner / 2) / width / len(wanted_row)
        slow.append(lost)
    np.testing.assert_allclose(np.asarray(quantile_huber(quantiles, targets, width)), slow, rtol=1e-4, atol=1e-6)


@settings(deadline=None)
@given(DRAWS)
def test_pick_takes_the_row_of_an_action(sizes: tuple[int, int, int]) -> None:
    rows, atoms, seed = sizes
    rng = np.random.default_rng(seed)
    values, action = rng.standard_normal((rows, 3, atoms)).astype(np.float32), rng.integers(0, 3, rows)
    assert plain(pick(values, action)) == [row[a].tolist() for row, a in zip(values, action, strict=True)]
