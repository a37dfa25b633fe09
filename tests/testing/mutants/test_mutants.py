"""The conformance kit is itself tested by mutation: it notices wrong parts, and right ones pass."""

from __future__ import annotations

from collections import Counter

import pytest

from coachcore.specs import KINDS

LEAST, A_KIND, CAUGHT = 70, 3, 0.95


def test_a_right_part_passes(original, seeded):
    assert seeded.broken(original) == {}


@pytest.mark.filterwarnings("ignore")  # a wrong part may divide by zero, or lose a thread
def test_a_wrong_part_is_noticed(seed, seeded):
    found = seeded.broken(seed)
    if seed.survives:
        assert found == {}, f"{seed} is noticed now: name the law instead of why it survives"
    else:
        assert list(found) == [seed.law], f"{seed} is not noticed"
        assert type(found[seed.law]).__name__ == seed.error, found


def test_there_are_many_of_every_kind(seeded):
    every = seeded.seeds()
    counts = Counter(seed.kind for seed in every)
    assert set(counts) == set(KINDS)
    assert min(counts.values()) >= A_KIND
    assert len(every) >= LEAST
    assert len({str(seed) for seed in every}) == len(every)


def test_nearly_all_are_noticed(seeded):
    every = seeded.seeds()
    caught = [seed for seed in every if not seed.survives]
    assert len(caught) >= CAUGHT * len(every)
