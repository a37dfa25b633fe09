"""Gaussian noise on top of a wish: how much, where, and from whom."""

from __future__ import annotations

import numpy as np
import pytest

from coach_exploration.additive_noise import AdditiveNoise
from coach_schedules import Linear
from coachcore.api import BadSetting, Box, Discrete, Mismatch, Moment, Proposal

WIDE = Box((2,), (-100.0, -200.0), (100.0, 200.0))
"""So wide that clipping hardly ever shows."""
DRAWS = 20_000
MEAN_LIMIT, DEVIATION_LIMIT = 4.9 / DRAWS**0.5, 4.9 / (2 * DRAWS) ** 0.5
"""Shares of a deviation by which mean and deviation of so many draws are off once in a million times."""


def acted(part, space, proposal, *, step=0, evaluating=False, seed=3, state=None):
    count = len(proposal.preferences)
    state = part.init(space, count) if state is None else state
    return part(state, lambda: proposal, space, count, Moment(np.random.default_rng(seed), step, evaluating=evaluating))


def around(part, proposal, space=WIDE, **when):
    """Mean and deviation of the actions for each component, of `DRAWS` environments with one wish."""
    many = Proposal(*(None if one is None else np.tile(one, (DRAWS, 1)) for one in proposal))
    _, actions = acted(part, space, many, **when)
    return actions.mean(axis=0), actions.std(axis=0)


def close(found, mean, deviation):
    deviation = np.asarray(deviation)
    np.testing.assert_array_less(np.abs(found[0] - mean), MEAN_LIMIT * deviation)
    np.testing.assert_array_less(np.abs(found[1] - deviation), DEVIATION_LIMIT * deviation)


WISH = Proposal(np.array([[3.0, -4.0]]))
OWN = Proposal(np.array([[3.0, -4.0]]), np.array([[0.5, 2.0]]))
SQUASHED = Proposal(np.tanh([[0.5, -1.0]]), np.array([[0.2, 0.4]]), np.array([[0.5, -1.0]]))


@pytest.mark.parametrize(
    ("settings", "proposal", "deviation"),
    [
        ({"deviation": 0.05}, WISH, [10.0, 20.0]),  # of ranges 200 and 400
        ({"deviation": 3, "relative": False}, WISH, [3.0, 3.0]),
        ({}, Proposal(np.array([[3.0, -4.0]]) * 0), [20.0, 40.0]),  # 0.1 where nobody says anything
        ({"relative": False}, WISH, [0.1, 0.1]),
        ({}, OWN, [0.5, 2.0]),  # the network is believed
        ({"deviation": 3, "relative": False}, OWN, [3.0, 3.0]),  # unless a setting says otherwise
    ],
)
def test_mean_and_deviation(settings, proposal, deviation):
    """Each of four figures is off once in a million seeds."""
    close(around(AdditiveNoise(**settings), proposal), proposal.preferences[0], deviation)


def test_a_squashed_gaussian_is_drawn_before_it_is_squashed():
    """Each of four figures is off once in a million seeds."""
    many = Proposal(*(np.tile(one, (DRAWS, 1)) for one in SQUASHED))
    _, actions = acted(AdditiveNoise(), Box((2,), -1, 1), many)
    before = np.arctanh(actions.astype(np.float64))
    close((before.mean(axis=0), before.std(axis=0)), SQUASHED.centre[0], SQUASHED.deviation[0])


def test_evaluation_has_a_deviation_of_its_own():
    part = AdditiveNoise(deviation=1.0, evaluation_deviation=0.02)
    close(around(part, WISH, evaluating=True), WISH.preferences[0], [4.0, 8.0])
    _, actions = acted(AdditiveNoise(), WIDE, OWN, evaluating=True)
    assert actions.tolist() == [[3.0, -4.0]]


def test_the_schedule_is_followed_down_to_nothing():
    part = AdditiveNoise(deviation=Linear(start=0.5, end=0, steps=10))
    assert [part.level(None, step) for step in (0, 5, 10)] == [0.5, 0.25, 0.0]
    assert acted(part, WIDE, WISH, step=10)[1].tolist() == [[3.0, -4.0]]
    close(around(part, Proposal(np.zeros((1, 2))), Box((2,), -1e6, 1e6), step=8), 0.0, [2e5, 2e5])


def test_it_is_cut_off_at_the_bounds_and_components_are_apart():
    space = Box((10,), -1, 1)
    _, actions = acted(AdditiveNoise(deviation=1), space, Proposal(np.zeros((4, 10))))
    assert space.contains(actions)
    inside = actions[np.abs(actions) < 1]
    assert 0 < inside.size < 40
    assert len(np.unique(inside)) == inside.size


def test_people_watch_what_the_network_gives():
    part = AdditiveNoise()
    state, _ = acted(part, WIDE, OWN)
    assert part.level(state, 0) == pytest.approx(1.25)
    state, _ = acted(part, WIDE, WISH, state=state)
    assert part.level(state, 0) == 0.1


def test_what_it_cannot_serve_is_refused():
    with pytest.raises(Mismatch, match=r"additive-noise adds noise to real numbers \(a box\), got Discrete"):
        AdditiveNoise().init(Discrete(2), 1)
    with pytest.raises(Mismatch, match=r"additive-noise needs .* finite bounds, .* with relative = false"):
        AdditiveNoise().init(Box((1,), 0), 1)
    assert AdditiveNoise(deviation=1, relative=False).init(Box((1,), 0), 1) is None
    with pytest.raises(BadSetting, match=r"deviation: -0\.1 is out of range"):
        AdditiveNoise(deviation=-0.1)
