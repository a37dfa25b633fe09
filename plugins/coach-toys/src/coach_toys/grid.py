"""A little world of squares, drawn as text in the preset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from coach_toys.drawing import BLACK, BLUE, GREEN, RED, WHITE, tiles
from coachcore.api import Array, BadSetting, Box, Discrete, Generator, Obs, Spaces, Step, component, param

_COLOURS = {"#": BLACK, ".": WHITE, "S": WHITE, "G": GREEN, "X": RED}
_MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))


def _drawn(_part: Any, _field: Any, rows: tuple[str, ...]) -> None:
    squares = "".join(rows)
    odd = sorted(set(squares) - set(_COLOURS))
    if odd:
        raise BadSetting(f"'{odd[0]}' means nothing - use S start, G goal, X pit, # wall, . floor", where="rows")
    if len({len(row) for row in rows}) > 1:
        raise BadSetting(
            f"rows have {', '.join(str(len(row)) for row in rows)} squares - make them equal", where="rows"
        )
    if "S" not in squares or "G" not in squares:
        missing = "a start 'S'" if "S" not in squares else "a goal 'G'"
        raise BadSetting(f"{missing} is missing - draw at least one", where="rows")


@component("environment", "grid")
@attrs.frozen(kw_only=True)
class Grid:
    """Walk over squares to a goal, around walls and pits.

    Actions go up, right, down and left; into a wall or over the edge nothing moves. A
    goal brings 1, a pit -1, and both terminate the episode; each step costs `cost`. The
    observation ``[rows * columns]`` is 1 at the square where one stands and 0 elsewhere.
    Of several starts, the seed draws one; with `slip`, a step goes astray now and then,
    which is drawn from the episode's seed as well.
    """

    rows: tuple[str, ...] = param(
        default=("S..#", "..X.", "...G"), check=_drawn, doc="the map: S start, G goal, X pit, # wall, . floor"
    )
    cost: float = param(default=0.01, ge=0, doc="what each step takes off the reward")
    slip: float = param(default=0.0, ge=0, le=1, doc="share of steps that go anywhere instead of where they should")
    limit: int = param(default=100, ge=1, doc="steps after which an episode is truncated", unit="steps")

    def make(self, count: int, *, render: bool = False) -> Grids:
        return Grids(self, count, render=render)


class Grids:
    """N walks over one map. Squares are numbered row after row."""

    def __init__(self, part: Grid, count: int, *, render: bool) -> None:
        squares = "".join(part.rows)
        self.spaces = Spaces(
            observation={"observation": Box((len(squares),), 0.0, 1.0)},
            action=Discrete(4, ("up", "right", "down", "left")),
        )
        self.count, self._part, self._render = count, part, render
        self._squares = np.array(list(squares))
        self._starts = np.flatnonzero(self._squares == "S")
        self._leads = _leads(part.rows)
        self._square = np.full(count, self._starts[0])  # [N]
        self._steps = np.zeros(count, np.int64)  # [N] since the episode began
        self._chance: list[Generator] = [_chance(0)] * count

    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        for env, seed in zip(envs, seeds, strict=True):
            self._chance[env] = _chance(seed)
            self._square[env] = self._chance[env].choice(self._starts)
            self._steps[env] = 0
        return {"observation": self._seen()[list(envs)]}

    def step(self, actions: Array) -> Step:
        part = self._part
        moves = np.array(actions)
        if part.slip:
            for env, chance in enumerate(self._chance):
                astray, anywhere = chance.random() < part.slip, chance.integers(0, 4)
                moves[env] = anywhere if astray else moves[env]
        self._square = self._leads[moves, self._square]
        self._steps = self._steps + 1
        under = self._squares[self._square]
        rewards = (under == "G") - 1.0 * (under == "X") - part.cost
        over = (under == "G") | (under == "X")
        return Step({"observation": self._seen()}, rewards, over, ~over & (self._steps >= part.limit))

    def render(self) -> Array | None:
        """The map in tiles; where one stands is blue."""
        if not self._render:
            return None
        colours = [_COLOURS[square] for square in self._squares]
        colours[int(self._square[0])] = BLUE
        width = len(self._part.rows[0])
        return tiles([colours[i : i + width] for i in range(0, len(colours), width)])

    def close(self) -> None:
        """Nothing to let go of."""

    def _seen(self) -> Array:
        """Fresh observations ``[N, squares]``."""
        return np.eye(len(self._squares), dtype=np.float32)[self._square]


def _leads(rows: Sequence[str]) -> Array:
    """``[4, squares]``: where each action leads from each square."""
    height, width = len(rows), len(rows[0])
    leads = np.zeros((4, height * width), np.int64)
    for action, (down, right) in enumerate(_MOVES):
        for row in range(height):
            for column in range(width):
                to_row, to_column = row + down, column + right
                inside = 0 <= to_row < height and 0 <= to_column < width and rows[to_row][to_column] != "#"
                there = (to_row, to_column) if inside else (row, column)
                leads[action, row * width + column] = there[0] * width + there[1]
    return leads


def _chance(seed: int) -> Generator:
    return np.random.Generator(np.random.PCG64(int(seed)))
