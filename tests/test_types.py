"""The nouns: field order is part of the interface, since they travel as tuples."""

from __future__ import annotations

import numpy as np
import pytest

from coachcore import types


@pytest.mark.parametrize(
    ("noun", "fields"),
    [
        (types.Step, "obs reward terminated truncated lost"),
        (types.Rows, "envs first evaluating"),
        (types.Proposal, "preferences deviation centre ensemble"),
        (types.Moment, "rng step evaluating first"),
        (types.Batch, "obs action reward discount next_obs extras noise knobs"),
        (types.Pair, "online target"),
        (types.LossOut, "loss priority metrics"),
        (types.Sample, "rows packed weight apart"),
        (types.Trained, "priority metrics weights"),
    ],
)
def test_fields_in_order(noun, fields):
    assert noun._fields == tuple(fields.split())


def test_what_may_be_left_out():
    assert types.Proposal(np.zeros((1, 2))).deviation is None
    sample = types.Sample(np.zeros((1, 2), int), np.zeros((1, 2, 3), np.float32))
    assert sample.weight is None
    assert sample.apart == {}
    assert types.Batch({}, 0, 0, 0, {}).extras == {}


def test_a_step_is_cheap_to_replace_in_part():
    step = types.Step({"o": 1}, 2, 3, 4)
    assert step._replace(reward=5) == ({"o": 1}, 5, 3, 4, None)
