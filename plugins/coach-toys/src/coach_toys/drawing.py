"""Pictures of tiles, for environments that have nothing else to show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coachcore.api import Array

Colour = tuple[int, int, int]

WHITE, GREY, BLACK = (255, 255, 255), (190, 190, 190), (30, 30, 30)
GREEN, RED, BLUE = (60, 170, 80), (200, 60, 50), (50, 90, 200)

_TILE = 24
"""Pixels along the side of a tile."""


def tiles(rows: Sequence[Sequence[Colour]]) -> Array:
    """Rows of colours, all of one length -> a picture ``[H, W, 3]`` uint8 with a square for each."""
    small = np.array(rows, np.uint8)  # [rows, columns, 3]
    return np.repeat(np.repeat(small, _TILE, axis=0), _TILE, axis=1)
