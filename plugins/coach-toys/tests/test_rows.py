"""Rows cut up into columns."""

from __future__ import annotations

import numpy as np

from coach_toys.rows import batch_of
from coachcore.api import Box, Column, Discrete, Layout, Spaces


def test_every_column_is_found_again() -> None:
    spaces = Spaces(observation={"a": Box((2,)), "b": Box((1,), 0, 255, "uint8")}, action=Discrete(3))
    layout = Layout.of(spaces, (Column("extra"),))
    row = {"obs.a": [1, 2], "action": [2], "reward": [0.5], "discount": [0.9], "next_obs.a": [3, 4], "extra": [7]}
    packed = np.zeros((1, layout.width), np.float32)
    for name, where in layout.packed.items():
        packed[0, where] = row[name]
    bytes_apart = {"obs.b": np.array([[5]], np.uint8), "next_obs.b": np.array([[6]], np.uint8)}
    batch = batch_of(layout, packed, bytes_apart)
    assert {name: values.tolist() for name, values in batch.obs.items()} == {"a": [[1, 2]], "b": [[5]]}
    assert {name: values.tolist() for name, values in batch.next_obs.items()} == {"a": [[3, 4]], "b": [[6]]}
    assert (batch.action.tolist(), batch.action.dtype) == ([2], np.int64)
    assert (batch.reward.tolist(), batch.discount.tolist()) == ([0.5], [float(np.float32(0.9))])
    assert {name: values.tolist() for name, values in batch.extras.items()} == {"extra": [7]}
