"""Capacity in transitions and in bytes."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_memories.capacity import bytes_in, transitions
from coach_memories.episodic_experience_replay import EpisodicExperienceReplay
from coach_memories.experience_replay import ExperienceReplay
from coach_memories.prioritized_experience_replay import PrioritizedExperienceReplay
from coachcore.api import BadSetting, Box, Discrete, Layout, Spaces

CARTPOLE = Layout.of(Spaces({"observation": Box((4,))}, Discrete(2)))
ATARI = Layout.of(Spaces({"observation": Box((84, 84, 4), 0, 255, "uint8")}, Discrete(4)))


@pytest.mark.parametrize(
    ("text", "size"),
    [("2 GB", 2 * 10**9), ("1.5 GiB", 1_610_612_736), ("512MB", 512 * 10**6), ("1_000 kB", 10**6), (" 7 b ", 7),
     ("0 GB", 0), ("2", 0), ("GB", 0), ("-1 GB", 0), ("2 gigabytes", 0), ("1e3 B", 0), ("", 0)],
)  # fmt: skip
def test_sizes(text, size):
    assert bytes_in(text) == size


def test_a_capacity_that_is_none_is_refused():
    way = 'write a number of transitions, or bytes such as "2 GB" (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)'
    for text in ("much", "0 GB", "100_000"):
        with pytest.raises(BadSetting) as caught:
            ExperienceReplay(capacity=text)
        assert str(caught.value) == f"capacity: {text!r} is no size - {way}"
    with pytest.raises(BadSetting) as caught:
        ExperienceReplay(capacity="30 B").make(CARTPOLE, 1)
    assert str(caught.value) == ("memory.capacity: '30 B' is less than one transition, which takes 44 bytes - raise it")


def test_by_hand():
    assert transitions(7, CARTPOLE) == 7
    assert transitions("44 kB", CARTPOLE) == 1_000
    assert transitions("60 kB", CARTPOLE, beside=16) == 1_000


@given(st.integers(20_000, 10**7))
def test_never_a_byte_too_many(size):
    for layout in (CARTPOLE, ATARI):
        count = transitions(f"{size} B", layout)
        each = size / count
        assert count >= 1
        assert (count + 1) * (size // (count + 1)) <= size
        assert each >= 44


@pytest.mark.parametrize(
    "part", [ExperienceReplay(capacity="40 MB"), PrioritizedExperienceReplay(capacity="40 MB"),
             EpisodicExperienceReplay(capacity="40 MB")], ids=lambda part: part.__coach__.name
)  # fmt: skip
@pytest.mark.parametrize("layout", [CARTPOLE, ATARI], ids=["vector", "stacks"])
def test_a_memory_takes_what_it_was_given(part, layout):
    tracemalloc.start()
    try:
        store = part.make(layout, 8)
        weight, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.93 * 40e6 < weight < 1.02 * 40e6
    store.add({"env": np.zeros(1, int), "ended": np.ones(1, bool),
               **{c.name: np.zeros((1, *c.shape), c.dtype) for c in layout.columns}})  # fmt: skip
    assert len(store) == 1
