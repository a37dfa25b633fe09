"""Pictures by planes against a plain array, and what they weigh."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coach_memories import planes as module
from coach_memories.experience_replay import ExperienceReplay
from coach_memories.planes import Planes, pictures_of
from coach_memories.prioritized_experience_replay import PrioritizedExperienceReplay
from coach_memories.ring import Ring
from coachcore.api import BadCheckpoint, BadSetting, Box, Column, Discrete, Layout, Spaces
from coachcore.testing.laws import saved

ATARI = Layout.of(Spaces({"observation": Box((84, 84, 4), 0, 255, "uint8")}, Discrete(4)))


def picture(*frames):
    """``[1, 1, 2, C]``: a stack of frames of two pixels, each told by a number."""
    return np.array([[[list(frames), [frame + 100 for frame in frames]]]], np.uint8)[0]


def put(planes, row, before, after):
    planes.put(np.array([row]), picture(*before)[None], picture(*after)[None])


def shown(planes, row):
    return [stack[0, 0].tolist() for stack in planes.take(np.array(row))]


def alive(planes):
    """How many planes are held."""
    return len(planes._uses) - 1 - len(planes._free)


def sound(planes, filled):
    """Uses are counted right, and what is free or remembered is what it should be."""
    uses = np.bincount(planes._ids[:filled].ravel(), minlength=len(planes._uses))
    assert uses[1:].tolist() == list(planes._uses)[1:]
    assert sorted(planes._free) == (np.flatnonzero(uses[1:] == 0) + 1).tolist()
    for key, plane in planes._recent.items():
        assert uses[plane] > 0
        assert key == hash(planes._pixels[plane].tobytes())
    assert len(planes._recent) <= planes._window


def test_by_hand():
    planes = Planes((1, 2, 2), 3, 1)
    put(planes, 0, (1, 1), (1, 2))
    assert alive(planes) == 2
    put(planes, 1, (1, 2), (2, 3))
    assert alive(planes) == 3
    assert shown(planes, 0) == [[1, 1], [1, 2]]
    assert shown(planes, 1) == [[1, 2], [2, 3]]
    put(planes, 0, (2, 3), (3, 4))  # 1 is still held by the second
    assert alive(planes) == 4
    put(planes, 1, (3, 4), (4, 5))
    assert alive(planes) == 4  # 1 is gone, 5 lies where it lay
    assert len(planes._uses) == 5
    before, after = planes.take(np.array([[0, 1, 0]]))
    assert before[0, :, 0, 0].tolist() == [[2, 3], [3, 4], [2, 3]]
    assert after[0, :, 0, 0].tolist() == [[3, 4], [4, 5], [3, 4]]


def test_equal_hashes_never_mix_pictures_up(monkeypatch):
    monkeypatch.setattr(module, "hash", lambda pixels: 7, raising=False)
    planes, numbers = Planes((1, 2, 2), 20, 1), np.random.default_rng(0).integers(0, 5, (60, 4))
    for place, (a, b, c, d) in enumerate(numbers):
        put(planes, place % 20, (a, b), (c, d))
    for row in range(20):
        a, b, c, d = numbers[40 + row].tolist()
        assert shown(planes, row) == [[a, b], [c, d]]


@st.composite
def histories(draw):
    shape = draw(st.tuples(st.integers(1, 2), st.integers(1, 2), st.integers(1, 3)))
    capacity, count = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    adds = draw(st.lists(st.integers(1, capacity), min_size=1, max_size=8))
    return shape, capacity, count, adds, draw(st.integers(0, 99)), draw(st.sampled_from([2, 256]))


@given(histories(), st.booleans())
@settings(max_examples=200)
def test_as_the_slow_twin(history, forgetful):
    """A plain array of pictures, whatever they are; also where hardly any plane is remembered."""
    shape, capacity, count, adds, seed, levels = history
    rng, planes, next_row = np.random.default_rng(seed), Planes(shape, capacity, count), 0
    planes._window = 2 if forgetful else planes._window
    twin = np.zeros((2, capacity, *shape), np.uint8)
    for added in adds:
        before, after = rng.integers(0, levels, (2, added, *shape), np.uint8)
        rows = (next_row + np.arange(added)) % capacity
        planes.put(rows, before, after)
        twin[0, rows], twin[1, rows], next_row = before, after, next_row + added
        filled = min(next_row, capacity)
        drawn = rng.integers(0, filled, (2, 5))
        for found, wanted in zip(planes.take(drawn), twin, strict=True):
            assert np.array_equal(found, wanted[drawn])
        sound(planes, filled)


@given(histories())
def test_restored_it_goes_on_bit_for_bit(history):
    shape, capacity, count, adds, seed, levels = history
    rng, planes, other = np.random.default_rng(seed), Planes(shape, capacity, count), Planes(shape, capacity, count)
    other.put(np.arange(capacity), *rng.integers(0, 256, (2, capacity, *shape), np.uint8))
    added = 0
    for some in adds:
        pictures = rng.integers(0, levels, (2, some, *shape), np.uint8)
        planes.put((added + np.arange(some)) % capacity, *pictures)
        added += some
        other.restore(saved(planes.state(min(added, capacity))))
        sound(other, min(added, capacity))
        assert list(other._recent.items()) == list(planes._recent.items())
    more = rng.integers(0, levels, (2, capacity, *shape), np.uint8)
    for each in (planes, other):
        each.put(np.arange(capacity), *more)
    one, two = (each.state(capacity) for each in (planes, other))
    assert all(np.array_equal(one[name], two[name]) for name in one)


class Game:
    """`count` environments whose stacks of four frames begin with one frame, all frames different."""

    def __init__(self, count, shape, length, n_step=1):
        self.count, self.shape, self.length, self.n_step, self.time = count, shape, length, n_step, 0
        self.rng = np.random.default_rng(0)
        self.obs = [self._begun() for _ in range(count)]
        self.opened = [[] for _ in range(count)]  # stacks whose transitions wait for what follows

    def _frame(self):
        return self.rng.integers(0, 256, (*self.shape, 1), np.uint8)

    def _begun(self):
        return np.repeat(self._frame(), 4, axis=-1)

    def step(self):
        """The transitions that one step of every environment closed, or None."""
        self.time += 1
        pairs = []
        for env, opened in enumerate(self.opened):
            opened.append(self.obs[env])
            after = np.concatenate([self.obs[env][..., 1:], self._frame()], axis=-1)
            ended = (self.time + env) % self.length == 0
            closed = len(opened) if ended else int(len(opened) == self.n_step)
            pairs += [(opened.pop(0), after) for _ in range(closed)]
            self.obs[env] = self._begun() if ended else after
        if not pairs:
            return None
        before, after = map(np.stack, zip(*pairs, strict=True))
        numbers = dict.fromkeys(("action", "reward", "discount"), np.zeros(len(pairs)))
        return {"obs.observation": before, "next_obs.observation": after, **numbers}


@pytest.mark.parametrize("n_step", [1, 3, 10])
@pytest.mark.parametrize("count", [1, 5])
def test_every_frame_is_stored_once(count, n_step):
    """Whatever the number of environments, the ends of episodes and the steps joined."""
    game, ring = (
        Game(count, (2, 4), 40, n_step),
        Ring(Layout.of(Spaces({"observation": Box((2, 4, 4), 0, 255, "uint8")}, Discrete(4))), 5_000, count),
    )
    distinct = set()
    for _ in range(200):
        columns = game.step()
        if columns is not None:
            ring.add(columns)
            for side in ("obs.", "next_obs."):
                frames = np.moveaxis(columns[f"{side}observation"], -1, 1)
                distinct |= {frame.tobytes() for stack in frames for frame in stack}
    assert len(ring._pictures["observation"]._uses) - 1 == len(distinct)
    assert 200 - n_step < len(distinct) / count < 200 + 4 + 2


@pytest.mark.parametrize("part", [ExperienceReplay, PrioritizedExperienceReplay])
def test_a_transition_of_atari_weighs_at_most_7_2_kilobytes(part):
    tracemalloc.start()
    try:
        store = part(capacity=100_000).make(ATARI, 8)
        weight, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(store) == 0
    assert 7_056 < weight / 100_000 + 4 <= 7_200  # 4: the uses of a plane, which come as planes do


def test_that_is_room_for_episodes_of_128_steps_and_shorter_ones_make_more():
    for length, grows in ((128, False), (20, True)):
        game, ring = (
            Game(4, (1, 8), length),
            Ring(Layout.of(Spaces({"observation": Box((1, 8, 4), 0, 255, "uint8")}, Discrete(4))), 512, 4),
        )
        planes = ring._pictures["observation"]
        reserved = len(planes._pixels)
        for _ in range(300):
            ring.add(game.step())
        sound(planes, 512)
        assert (len(planes._pixels) > reserved) is grows
        assert ring.filled == 512


@pytest.mark.parametrize(
    "spoilt",
    [
        {"free": np.array([1])},
        {"recent": np.array([9])},
        {"recent": np.array([0])},
        {"ids": np.array([[[1, 2], [3, 9]]], np.int32)},
        {"ids": np.array([[[1, 2], [3, -1]]], np.int32)},
        {"pixels": np.zeros((2, 2), np.uint8)},
    ],
)
def test_pictures_that_do_not_fit_together_are_refused(spoilt):
    planes, other = Planes((1, 2, 2), 3, 1), Planes((1, 2, 2), 3, 1)
    put(planes, 0, (1, 2), (3, 4))
    put(other, 0, (5, 6), (7, 8))
    with pytest.raises(BadCheckpoint, match="memory: the saved pictures do not fit together"):
        other.restore(planes.state(1) | spoilt)
    assert shown(other, 0) == [[5, 6], [7, 8]]
    other.restore(planes.state(1))
    assert shown(other, 0) == [[1, 2], [3, 4]]


def test_a_memory_saved_without_planes_is_refused():
    ring = Ring(ATARI, 2)
    state = {name: part for name, part in ring.state().items() if name != "pictures"}
    with pytest.raises(BadCheckpoint, match="memory: the saved transitions have other columns"):
        ring.restore(state)


def test_a_grown_memory_is_restored_into_a_new_one():
    planes = Planes((1, 2, 3), 100, 1)
    reserved = len(planes._pixels)
    colours = np.random.default_rng(0).integers(0, 256, (2, 100, 1, 2, 3), np.uint8)
    planes.put(np.arange(100), *colours)
    assert len(planes._pixels) > 2 * reserved
    other = Planes((1, 2, 3), 100, 1)
    other.restore(planes.state(100))
    assert np.array_equal(other.take(np.arange(100))[1], colours[1])


def test_a_machine_that_has_no_more_room():
    class Full(np.ndarray):
        def resize(self, *shape, refcheck):
            raise MemoryError

    planes = Planes((1, 2, 2), 2, 1)
    planes._pixels = planes._pixels.view(Full)
    with pytest.raises(BadSetting, match=r"memory.capacity: 2 transitions hold more than 0 GB of pictures"):
        planes.put(np.arange(2), *np.arange(16, dtype=np.uint8).reshape(2, 2, 1, 2, 2))


def test_a_capacity_that_no_machine_has_is_refused():
    with pytest.raises(BadSetting, match=r"memory.capacity: 1000000000000 transitions of 7159 bytes need 7159125 GB"):
        Ring(ATARI, 10**12)


def test_what_is_a_picture():
    layout = Layout(
        (
            Column("obs.a", (2, 2, 1), "uint8"),
            Column("obs.b", (2, 2), "uint8"),
            Column("obs.c", (2, 2, 1), "uint8"),
            Column("obs.d", (2, 2, 3)),
            Column("next_obs.a", (2, 2, 1), "uint8"),
            Column("next_obs.b", (2, 2), "uint8"),
            Column("next_obs.d", (2, 2, 3)),
            Column("a", (2, 2, 1), "uint8"),
        )
    )
    assert pictures_of(layout) == {"a": (2, 2, 1)}
