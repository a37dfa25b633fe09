"""Sqlite by hand, and by the laws of stores."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from threading import Thread

import pytest

from acme_sqlite import Sqlite
from coachcore.api import CoachError
from coachcore.testing.store import StoreConformance


class TestLaws(StoreConformance):
    @pytest.fixture(autouse=True)
    def place(self, tmp_path):
        self.file = str(tmp_path / "published.sqlite")

    def make(self):
        return Sqlite(file=self.file)


def test_a_writer_that_dies_halfway_leaves_what_was_there(tmp_path):
    store = Sqlite(file=str(tmp_path / "it"))
    store.put("policy", b"old")
    with closing(sqlite3.connect(store.file)) as killed:
        killed.execute("UPDATE published SET data = x'00'")  # and never commits
        assert store.get("policy") == b"old"
    assert store.get("policy") == b"old"


def test_a_reader_never_sees_a_mixture(tmp_path):
    store = Sqlite(file=str(tmp_path / "it"))
    store.put("policy", b"a" * 100_000)
    writer = Thread(target=lambda: [store.put("policy", letter * 100_000) for letter in (b"b", b"a") * 20])
    writer.start()
    while writer.is_alive():
        assert len(set(store.get("policy"))) == 1
    writer.join()


def test_a_prefix_is_no_pattern(tmp_path):
    store = Sqlite(file=str(tmp_path / "it"))
    for name in ("a_b", "axb", "a%", "A_b"):
        store.put(name, b"")
    assert list(store.names("a_")) == ["a_b"]


def test_sqlites_own_words(tmp_path):
    with pytest.raises(CoachError, match="unable to open database file"):
        Sqlite(file=str(tmp_path / "no folder" / "it")).put("policy", b"")
