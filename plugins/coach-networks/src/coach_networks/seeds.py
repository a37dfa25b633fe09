"""A seed for every part of a network, each from its own name."""

from __future__ import annotations

from zlib import crc32

import numpy as np


def seed_for(seed: int, name: str) -> int:
    """A seed below 2**31 that depends on `seed` and `name` only, so that adding a part shifts no other's weights."""
    return int(np.random.SeedSequence(seed, spawn_key=(crc32(name.encode()),)).generate_state(1)[0] >> 1)
