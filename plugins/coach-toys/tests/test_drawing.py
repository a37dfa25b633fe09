"""Pictures of tiles."""

from __future__ import annotations

from coach_toys.drawing import GREEN, RED, tiles


def test_each_colour_becomes_a_square() -> None:
    picture = tiles([[RED, GREEN]])
    assert picture.shape == (24, 48, 3)
    assert (picture[:, :24] == RED).all()
    assert (picture[:, 24:] == GREEN).all()
