"""Streams of chance: named, independent, and put back exactly."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore.rng import Streams

NAMES = ("explore", "heatup", "memory", "episodes", "evaluation", "network")


def draws(streams, name, count=8):
    return streams[name].integers(0, 2**63 - 1, count).tolist()


def test_a_stream_by_hand():
    """PCG64 over SeedSequence(seed, spawn_key=(crc32(name),)), and nothing else."""
    from zlib import crc32

    sequence = np.random.SeedSequence(7, spawn_key=(crc32(b"memory"),))
    wanted = np.random.Generator(np.random.PCG64(sequence)).integers(0, 2**63 - 1, 8).tolist()
    assert draws(Streams(7), "memory") == wanted


@given(st.permutations(NAMES), st.integers(0, 2**40))
def test_the_order_of_creation_changes_nothing(order, seed):
    wanted = {name: draws(Streams(seed), name) for name in NAMES}
    streams = Streams(seed)
    assert {name: draws(streams, name) for name in order} == wanted


def test_other_names_and_other_seeds_draw_otherwise():
    seen = [tuple(draws(Streams(seed), name)) for seed in (0, 1) for name in NAMES]
    assert len(set(seen)) == 2 * len(NAMES)


def test_one_name_is_one_stream():
    streams = Streams(0)
    assert streams["memory"] is streams["memory"]
    assert draws(streams, "memory") != draws(streams, "memory")


@pytest.mark.parametrize("kind", ["integers", "normal", "half"])
def test_restored_through_json_to_the_bit(kind):
    def use(streams):
        if kind == "half":  # a 32-bit draw leaves half a word in the generator, which must be saved too
            return streams["memory"].integers(0, 2**31, 3, dtype=np.int32).tolist()
        return (streams["memory"].normal(size=5) if kind == "normal" else streams["memory"].integers(0, 9, 5)).tolist()

    streams = Streams(3)
    use(streams)
    saved = json.loads(json.dumps(streams.state()))
    wanted = [use(streams) for _ in range(3)]
    again = Streams(3)
    use(again)
    use(again)
    again.restore(saved)
    assert [use(again) for _ in range(3)] == wanted


def test_streams_that_a_state_does_not_name_start_anew():
    streams = Streams(5)
    draws(streams, "memory")
    streams.restore(Streams(5).state())
    assert draws(streams, "memory") == draws(Streams(5), "memory")


def test_a_generator_taken_earlier_is_not_the_restored_one():
    """Whoever holds a generator across a restore draws from the old position: ask the streams again."""
    streams = Streams(5)
    held = streams["memory"]
    streams.restore(streams.state())
    assert streams["memory"] is not held
