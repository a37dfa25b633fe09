"""Neural dictionaries by hand, against a plain loop, and after being read back."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_memories.dictionary import NeuralDictionary
from coach_memories.neighbours import Approximate, Exact
from coachcore.api import BadCheckpoint, BadData, BadSetting, CoachError
from coachcore.testing.laws import saved

SEARCHES = ["exact", "approximate"]


def made(search="exact", **settings):
    if search == "approximate":
        pytest.importorskip("usearch", reason="approximate neighbours")
    return NeuralDictionary(search=search, **{"neighbours": 2, **settings}).make(2, 2)


def write(dictionaries, *pairs, action=0):
    keys, values = zip(*pairs, strict=True)
    dictionaries.write(np.array(keys, float), np.full(len(keys), action), np.array(values, float))


def read(dictionaries, *keys, count=None):
    return dictionaries.read(np.array(keys, float), 0, count)


@pytest.mark.parametrize("search", SEARCHES)
def test_the_nearest_come_first(search):
    book = made(search)
    write(book, ((0, 0), 1), ((4, 0), 2), ((1, 0), 3), ((0, 9), 4))
    found = read(book, (0.1, 0), (5, 0))
    assert found.keys.tolist() == [[[0, 0], [1, 0]], [[4, 0], [1, 0]]]
    assert found.values.tolist() == [[1, 3], [2, 3]]
    assert found.places.tolist() == [[0, 2], [1, 2]]
    assert book.sizes() == [4, 0]
    assert not book.enough()
    write(book, ((0, 0), 1), ((1, 1), 1), action=1)
    assert book.enough()
    assert not book.enough(3)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_known_key_moves_its_value(search):
    book = made(search, threshold=0.1, rate=0.5)
    write(book, ((0, 0), 8), ((5, 5), 1))
    write(book, ((0.05, 0), 4), ((0, 0.09), 2), ((0, 0.2), 7))
    assert book.sizes()[0] == 3
    assert read(book, (0, 0), count=1).values.tolist() == [[4.0]]  # 8 -> 6 -> 4
    assert read(book, (0, 0), count=1).keys.tolist() == [[[0, 0]]]


def test_twins_within_one_call_are_one_key():
    book = made(threshold=0.1, rate=0.5)
    write(book, ((1, 1), 8), ((1, 1.05), 4), ((1, 1.2), 1))
    assert book.sizes()[0] == 2
    assert read(book, (1, 1)).values.tolist() == [[6.0, 1.0]]


@pytest.mark.parametrize("search", SEARCHES)
def test_what_was_found_longest_ago_makes_room(search):
    book = made(search, size=3, neighbours=1)
    write(book, ((0, 0), 0))
    write(book, ((1, 0), 1))
    write(book, ((2, 0), 2))
    read(book, (0.1, 0))  # 0 was found again, so 1 is the oldest
    write(book, ((9, 0), 9))
    assert book.sizes()[0] == 3
    assert sorted(read(book, (0, 0), count=3).values[0].tolist()) == [0, 2, 9]
    write(book, *(((number, 50), number) for number in range(5)))  # more than there is room for: the last ones
    assert sorted(read(book, (0, 50), count=3).values[0].tolist()) == [2, 3, 4]


@pytest.mark.parametrize("search", SEARCHES)
def test_keys_and_values_may_be_moved(search):
    book = made(search)
    write(book, ((0, 0), 1), ((4, 0), 2), ((8, 0), 3))
    book.change(0, np.array([1, 1]), np.array([[7.0, 7.0], [-1.0, 0.0]]), np.array([5.0, 6.0]))
    found = read(book, (-1, 0))
    assert found.values.tolist() == [[6, 1]]
    assert found.keys.tolist() == [[[-1, 0], [0, 0]]]


class Slow:
    """One key after the other in plain lists."""

    def __init__(self, size, threshold, rate):
        self.size, self.threshold, self.rate, self.calls, self.held = size, threshold, rate, 0, []

    def nearest(self, key, held):
        away = [float(np.linalg.norm(np.float32(key) - np.float32(each[0]))) for each in held]
        return min(range(len(held)), key=lambda at: (away[at], at)), min(away)

    def write(self, pairs):
        self.calls += 1
        before, new = list(self.held), []
        for key, value in pairs:
            for among in (before, new):
                at, away = self.nearest(key, among) if among else (0, np.inf)
                if away <= self.threshold:
                    among[at][1] += self.rate * (value - among[at][1])
                    if among is before:
                        among[at][2] = self.calls
                    break
            else:
                new.append([key, float(value), self.calls])
        for each in new[-self.size :]:
            if len(self.held) < self.size:
                self.held.append(each)
            else:
                oldest = min((row for row in self.held if not any(row is n for n in new)), key=lambda row: row[2])
                self.held[next(at for at, row in enumerate(self.held) if row is oldest)] = each

    def read(self, keys, count):
        self.calls += 1
        found = []
        for key in keys:
            order = sorted(
                range(len(self.held)), key=lambda at: (np.square(np.subtract(key, self.held[at][0])).sum(), at)
            )
            found.append([self.held[at][1] for at in order[:count]])
            for at in order[:count]:
                self.held[at][2] = self.calls
        return found


KEYS = st.tuples(st.sampled_from([0.0, 1.0, 2.2, 3.7, 5.6]), st.sampled_from([0.0, 1.05, 2.3, 3.9, 5.9]))
"""No two are equally far from a third."""


@given(
    st.lists(st.lists(st.tuples(KEYS, st.integers(-4, 4)), min_size=1, max_size=9), min_size=1, max_size=6),
    st.integers(1, 12), st.sampled_from([0.0, 1.3]), st.integers(0, 99),
)  # fmt: skip
def test_as_the_slow_twin(writes, size, threshold, seed):
    book, slow, rng = (
        made(size=size, threshold=threshold, rate=0.5),
        Slow(size, threshold, 0.5),
        np.random.default_rng(seed),
    )
    for pairs in writes:
        write(book, *pairs)
        slow.write([[list(key), value] for key, value in pairs])
        keys = (6 * rng.random((2, 2))).tolist()  # between the keys: no two are as near
        count = min(3, len(slow.held))
        assert book.sizes()[0] == len(slow.held)
        found = read(book, *keys, count=count).values
        assert np.allclose(found, slow.read(keys, count), atol=1e-5)


def test_a_graph_finds_nearly_all_that_comparing_finds():
    pytest.importorskip("usearch", reason="approximate neighbours")
    rng = np.random.default_rng(0)
    points, asked = rng.random((3_000, 16), np.float32), rng.random((50, 16), np.float32)
    exact, graph = Exact(3_000, 16), Approximate(16)
    for search in (exact, graph):
        search.put(np.arange(3_000), points)
        search.put(np.arange(0, 3_000, 7), points[::7] + np.float32(0.5))
    wanted, away = exact.nearest(asked, 10)
    found, near = graph.nearest(asked, 10)
    shared = [len(set(a) & set(b)) for a, b in zip(wanted.tolist(), found.tolist(), strict=True)]
    assert np.mean(shared) > 9
    assert np.all(near[:, 0] >= away[:, 0] - 1e-6)


@pytest.mark.parametrize("search", SEARCHES)
def test_restored_it_goes_on_bit_for_bit(search):
    """Also a graph, which would grow otherwise from where it was read back."""
    rng = np.random.default_rng(1)
    one, other = (made(search, size=150, neighbours=5) for _ in range(2))
    one.write(rng.random((300, 2)), rng.integers(0, 2, 300), rng.random(300))
    other.restore(saved(one.state()))
    for _ in range(5):
        batch = rng.random((40, 2)), rng.integers(0, 2, 40), rng.random(40)
        asked = rng.random((20, 2))
        found = []
        for book in (one, other):
            book.write(*batch)
            found.append([np.asarray(part).tobytes() for action in (0, 1) for part in book.read(asked, action)])
        assert found[0] == found[1]


def test_what_does_not_work_is_said_in_a_line_and_nothing_is_lost():
    book = made()
    write(book, ((0, 0), 1))
    with pytest.raises(BadSetting) as caught:
        read(book, (0, 0))
    assert str(caught.value) == "dictionary: 2 neighbours cannot be found among 1 keys - heat up for longer"
    for spoilt in (((np.nan, 0), 1), ((0, 0), np.inf)):
        with pytest.raises(BadData) as caught:
            write(book, spoilt, ((3, 3), 3))
        assert str(caught.value) == (
            "dictionary: a key or a value is not a finite number - lower agent.learner.learning_rate"
        )
    with pytest.raises(BadData) as caught:
        write(book, ((3, 3), 3), action=2)
    assert str(caught.value) == "dictionary: action 2 is none of 0..1"
    assert book.sizes() == [1, 0]
    with pytest.raises(BadCheckpoint) as caught:
        book.restore(NeuralDictionary().make(2, 3).state())
    assert str(caught.value) == "dictionary: dictionaries of 3 actions were saved, there are 2"
    with pytest.raises(BadCheckpoint) as caught:
        book.restore(NeuralDictionary().make(5, 2).state())
    assert str(caught.value) == ("dictionary: 0 keys of 5 numbers were saved, there is room for 500000 of 2")


def test_what_must_be_installed_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "usearch.index", None)
    with pytest.raises(CoachError) as caught:
        NeuralDictionary(search="approximate").make(2, 1)
    assert str(caught.value) == (
        "memory: approximate neighbours need usearch - pip install 'coach-memories[neighbours]', or search = 'exact'"
    )
