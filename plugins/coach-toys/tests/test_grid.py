"""Walking over squares, by hand and against a slow twin."""

from __future__ import annotations

import numpy as np
import pytest

from coach_toys.grid import Grid
from coachcore.api import BadSetting
from coachcore.testing.environment import EnvironmentConformance

UP, RIGHT, DOWN, LEFT = range(4)


class TestConformance(EnvironmentConformance):
    @pytest.fixture(params=[Grid(), Grid(slip=0.5), Grid(rows=("SG",)), Grid(rows=("SS.", ".GX"), slip=1.0)])
    def part(self, request: pytest.FixtureRequest) -> Grid:
        return request.param


def walked(part: Grid, actions: list[int]) -> tuple[list[int], list[float], bool, bool]:
    environment = part.make(1)
    squares = [int(environment.reset([0], [0])["observation"].argmax())]
    rewards = []
    for action in actions:
        step = environment.step(np.array([action]))
        squares.append(int(step.obs["observation"].argmax()))
        rewards.append(float(step.reward[0]))
    return squares, rewards, bool(step.terminated[0]), bool(step.truncated[0])


def test_walls_and_edges_hold_and_a_goal_ends_it() -> None:
    part = Grid(rows=("S#", ".G"), cost=0.0)
    assert walked(part, [UP, LEFT, RIGHT, DOWN, RIGHT]) == ([0, 0, 0, 0, 2, 3], [0, 0, 0, 0, 1], True, False)


def test_a_pit_ends_it_badly_and_the_limit_truncates() -> None:
    assert walked(Grid(rows=("SXG",)), [RIGHT]) == ([0, 1], [-1.01], True, False)
    assert walked(Grid(rows=("S.G",), limit=2), [UP, UP]) == ([0, 0, 0], [-0.01, -0.01], False, True)


def test_the_seed_draws_the_start_and_the_slips() -> None:
    part = Grid(rows=("S....S", "......", "S....G"))
    environment = part.make(60)
    starts = environment.reset(range(60), range(60))["observation"].argmax(axis=1)
    assert sorted(set(starts.tolist())) == [0, 5, 12]
    slippery = Grid(rows=("S" + "." * 40, "." * 40 + "G"), slip=1.0).make(200)
    slippery.reset(range(200), range(200))
    went = slippery.step(np.full(200, UP)).obs["observation"].argmax(axis=1)
    shares = [np.mean(went == square) for square in (0, 1, 41)]
    assert shares == pytest.approx([0.5, 0.25, 0.25], abs=0.13)  # four deviations of 200 draws


def test_many_at_once_are_one_by_one() -> None:
    """Slow twin."""
    part, rng = Grid(slip=0.3), np.random.default_rng(4)
    actions = rng.integers(0, 4, (20, 5))
    together, alone = part.make(5), [part.make(1) for _ in range(5)]
    together.reset(range(5), range(10, 15))
    for env, one in enumerate(alone):
        one.reset([0], [10 + env])
    for row in actions:
        step, singles = together.step(row), [one.step(row[i : i + 1]) for i, one in enumerate(alone)]
        np.testing.assert_array_equal(step.obs["observation"], np.concatenate([s.obs["observation"] for s in singles]))
        assert step.reward.tolist() == [float(s.reward[0]) for s in singles]


def test_pictures() -> None:
    assert Grid().make(1).render() is None
    environment = Grid(rows=("SX", "#G")).make(1, render=True)
    environment.reset([0], [0])
    picture = environment.render()
    assert picture is not None
    assert [tuple(picture[y, x]) for y, x in ((12, 12), (12, 36), (36, 12), (36, 36))] == [
        (50, 90, 200), (200, 60, 50), (30, 30, 30), (60, 170, 80),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (("SG?",), "rows: '?' means nothing - use S start, G goal, X pit, # wall, . floor"),
        (("SG", "..."), "rows: rows have 2, 3 squares - make them equal"),
        (("..G",), "rows: a start 'S' is missing - draw at least one"),
        (("..S",), "rows: a goal 'G' is missing - draw at least one"),
        ((), "rows: a start 'S' is missing - draw at least one"),
    ],
)
def test_bad_maps(rows: tuple[str, ...], message: str) -> None:
    with pytest.raises(BadSetting) as caught:
        Grid(rows=rows)
    assert str(caught.value) == message
