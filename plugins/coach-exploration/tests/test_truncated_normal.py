"""Normals cut to bounds, against rejection and against SciPy's own distribution."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from coach_exploration.truncated_normal import TruncatedNormal, truncated
from coach_schedules import Linear
from coachcore.api import Box, Discrete, Mismatch, Moment, Proposal

SPACE = Box((1,), -1, 1)
KOLMOGOROV = 2.69
"""Kolmogorov's statistic times root n passes this once in a million samples: 2 exp(-2 * 2.69^2)."""


def acted(part, wish, space=SPACE, *, step=0, evaluating=False, seed=2):
    moment = Moment(np.random.default_rng(seed), step, evaluating=evaluating)
    return part(part.init(space, len(wish)), lambda: Proposal(np.asarray(wish)), space, len(wish), moment)[1]


def rejected(mean, deviation, low, high, count):
    """Slow twin: draw again until it lies within the bounds."""
    rng, kept = np.random.default_rng(8), []
    while len(kept) < count:
        drawn = rng.normal(mean, deviation)
        if low <= drawn <= high:
            kept.append(drawn)
    return np.array(kept)


@pytest.mark.parametrize("mean", [0.0, 0.9, -1.3])
def test_draws_are_those_that_rejection_leaves(mean):
    """Fails once in a million seeds for each mean (two samples of 4,000)."""
    ours = acted(TruncatedNormal(deviation=0.5, relative=False), np.full((4000, 1), mean))[:, 0]
    found = stats.ks_2samp(ours, rejected(mean, 0.5, -1, 1, 4000)).statistic
    assert found < KOLMOGOROV * (2 / 4000) ** 0.5


@given(st.floats(-3, 3), st.floats(0.05, 5), st.floats(0, 1, exclude_max=True))
def test_a_draw_is_the_inverse_of_the_distribution(mean, deviation, uniform):
    found = truncated(*(np.array([one]) for one in (mean, deviation, -1.0, 1.0, uniform)))[0]
    law = stats.truncnorm((-1 - mean) / deviation, (1 - mean) / deviation, mean, deviation)
    turned = (-1 - mean) / deviation + (1 - mean) / deviation > 0  # the tail with the digits is drawn from
    mirrored = 1.0 - uniform if turned else uniform
    assert found == pytest.approx(law.ppf(mirrored), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("mean", "near"), [(60.0, 1.0), (-60.0, -1.0)])
def test_far_outside_the_nearer_bound_is_left(mean, near):
    assert acted(TruncatedNormal(deviation=0.1), [[mean]]).tolist() == [[near]]


def test_a_tail_of_thirty_deviations_keeps_its_digits():
    drawn = acted(TruncatedNormal(deviation=1, relative=False), np.full((500, 1), 31.0))
    assert len(np.unique(drawn)) > 400
    assert 0.95 < drawn.mean() < 0.98  # 1 - 1 / 30


def test_the_deviation_is_a_share_of_the_range_only_where_it_is_relative():
    space = Box((2,), (-10, -100), (10, 100))
    for part, expected in (
        (TruncatedNormal(deviation=0.01), [0.2, 2.0]),
        (TruncatedNormal(deviation=0.01, relative=False), [0.01, 0.01]),
    ):
        assert acted(part, np.zeros((20_000, 2)), space).std(axis=0) == pytest.approx(expected, rel=4.9 / 200)


def owned(proposal, space, **settings):
    part, count = TruncatedNormal(**settings), len(proposal.preferences)
    moment = Moment(np.random.default_rng(5), 0, evaluating=False)
    state, actions = part(part.init(space, count), lambda: proposal, space, count, moment)
    return part.level(state, 0), actions[:, 0].astype(float)


def test_a_network_that_gives_a_deviation_is_believed():
    """Fails once in a million seeds; the law is SciPy's own."""
    told = Proposal(np.full((4000, 1), 0.75), np.full((4000, 1), 0.5))
    level, actions = owned(told, SPACE)
    assert level == 0.5
    law = stats.truncnorm(-1.75 / 0.5, 0.25 / 0.5, 0.75, 0.5)
    assert stats.kstest(actions, law.cdf).statistic < KOLMOGOROV / 4000**0.5
    assert owned(told, SPACE, deviation=0)[1].tolist() == [0.75] * 4000  # unless a setting says otherwise
    level, actions = owned(told._replace(deviation=None, preferences=np.zeros((4000, 1))), Box((1,), -50, 50))
    assert level == 0.1  # of the range, where nobody says anything
    assert actions.std() == pytest.approx(10, rel=4.9 / (2 * 4000) ** 0.5)


@pytest.mark.parametrize(("edges", "low", "high"), [({}, -1, 1), ({"low": -0.5, "high": 0.25}, -0.5, 0.25)])
def test_a_squashed_gaussian_is_cut_before_it_is_squashed(edges, low, high):
    """Fails once in a million seeds for each: given that it lies within the edges, tanh of the Gaussian."""
    centre, deviation = 0.4, 0.8
    told = Proposal(np.tanh(np.full((4000, 1), centre)), np.full((4000, 1), deviation), np.full((4000, 1), centre))
    _, actions = owned(told, SPACE, **edges)
    assert low <= actions.min() <= actions.max() <= high
    cut = stats.norm(centre, deviation).cdf(np.arctanh([max(low, -1 + 1e-15), min(high, 1 - 1e-15)]))
    shares = (stats.norm(centre, deviation).cdf(np.arctanh(np.clip(actions, -1 + 1e-15, 1 - 1e-15))) - cut[0]) / (
        cut[1] - cut[0]
    )
    assert stats.kstest(shares, "uniform").statistic < KOLMOGOROV / 4000**0.5


def test_edges_of_its_own():
    drawn = acted(TruncatedNormal(deviation=1, low=-0.25, high=0.5), np.zeros((500, 1)))
    assert -0.25 <= drawn.min() < -0.2
    assert 0.4 < drawn.max() <= 0.5


def test_schedule_and_evaluation():
    part = TruncatedNormal(deviation=Linear(start=0.2, end=0, steps=10), evaluation_deviation=0.0)
    assert [part.level(None, step) for step in (0, 5, 10)] == pytest.approx([0.2, 0.1, 0.0])
    assert acted(part, [[0.5]], step=10).tolist() == [[0.5]]
    assert acted(part, [[3.0]], evaluating=True).tolist() == [[1.0]]
    assert acted(TruncatedNormal(evaluation_deviation=0.1), [[0.5]], evaluating=True).tolist() != [[0.5]]


def test_scipy_is_not_imported_before_it_is_needed():
    code = "import sys, coach_exploration.truncated_normal; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_it_cannot_serve_is_refused():
    with pytest.raises(Mismatch, match="truncated-normal adds noise to real numbers"):
        TruncatedNormal().init(Discrete(2), 1)
    with pytest.raises(Mismatch, match="truncated-normal needs an action space with finite bounds"):
        TruncatedNormal().init(Box((1,)), 1)
    with pytest.raises(Mismatch, match="must lie within the action space"):
        TruncatedNormal(low=-2).init(SPACE, 1)
    with pytest.raises(Mismatch, match="must lie within the action space and in this order"):
        TruncatedNormal(low=0.5, high=0.25).init(SPACE, 1)
    with pytest.raises(Mismatch, match=r"do not fit actions of shape \(1,\)"):
        TruncatedNormal(low=(0.0, 0.0)).init(SPACE, 1)
