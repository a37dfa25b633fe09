"""The ring against a plain list, and what it weighs."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_memories.ring import Ring
from coachcore.api import BadCheckpoint, BadSetting, Box, Column, Discrete, Layout, Spaces

CARTPOLE = Layout.of(Spaces({"observation": Box((4,))}, Discrete(2)))
SMALL = Layout((Column("obs.picture", (2,), "uint8"), Column("action"), Column("reward")))


def columns(numbers):
    numbers = np.asarray(numbers)
    picture = np.stack([numbers % 256, numbers % 7], axis=1).astype(np.uint8)
    return {"obs.picture": picture, "action": numbers % 3, "reward": -numbers.astype(np.float64)}


def held(ring):
    rows = np.arange(ring.filled)
    return [
        (*row, *picture)
        for row, picture in zip(ring.packed(rows).tolist(), ring.apart(rows)["obs.picture"].tolist(), strict=True)
    ]


def test_by_hand():
    ring = Ring(SMALL, 3)
    assert ring.add(columns([1, 2])) == 2
    assert held(ring) == [(1, -1, 1, 1), (2, -2, 2, 2)]
    ring.add(columns([3, 4]))
    assert held(ring) == [(1, -4, 4, 4), (2, -2, 2, 2), (0, -3, 3, 3)]
    assert (ring.filled, ring.next) == (3, 1)


@given(st.integers(1, 12), st.lists(st.integers(0, 30), max_size=8))
def test_it_is_a_list_that_forgets_its_head(capacity, counts):
    ring, twin, added = Ring(SMALL, capacity), [], 0
    for count in counts:
        ring.add(columns(np.arange(added, added + count)))
        twin = (twin + list(range(added, added + count)))[-capacity:]
        added += count
    assert sorted(-row[1] for row in held(ring)) == twin
    assert ring.next == added % capacity


def test_a_million_cartpole_transitions_weigh_at_most_60_megabytes():
    tracemalloc.start()
    try:
        ring = Ring(CARTPOLE, 1_000_000)
        weight, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert ring.filled == 0
    assert 40e6 < weight <= 60e6


def test_a_capacity_that_no_machine_has_is_refused():
    with pytest.raises(BadSetting, match=r"memory.capacity: 1000000000000000 transitions of 10 bytes need 10000000 GB"):
        Ring(SMALL, 10**15)


def test_only_the_filled_part_is_saved():
    ring = Ring(SMALL, 1000)
    ring.add(columns([1, 2, 3]))
    state = ring.state()
    assert (len(state["packed"]), len(state["apart"]["obs.picture"]), state["next"]) == (3, 3, 3)


def test_another_ring_is_refused():
    state = Ring(SMALL, 10).state()
    with pytest.raises(
        BadCheckpoint, match="memory: a memory of 10 transitions was saved - set capacity to it, not 11"
    ):
        Ring(SMALL, 11).restore(state)
    with pytest.raises(BadCheckpoint, match="memory: the saved transitions have other columns"):
        Ring(CARTPOLE, 10).restore(state)
