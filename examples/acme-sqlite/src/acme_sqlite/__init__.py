"""A store in one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import attrs

from coachcore.api import BadCheckpoint, CoachError, component, param

_TABLE = "CREATE TABLE IF NOT EXISTS published (name TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID"


@component("store", "sqlite")
@attrs.frozen(kw_only=True)
class Sqlite:
    """Bytes by name in one table of a SQLite file; each `put` is a transaction, so readers see all of it or none.

    Any number of processes on one machine may read and write; SQLite locks are
    not to be trusted over NFS. One entry holds at most about 1 GB.
    """

    file: str = param(default="published.sqlite", doc="the file; made when it is first used")
    patience: float = param(default=30.0, ge=0, doc="how long to wait for another process that writes", unit="seconds")

    def put(self, name: str, data: bytes) -> None:
        with self._opened() as database:
            database.execute("INSERT OR REPLACE INTO published VALUES (?, ?)", (name, data))

    def get(self, name: str) -> bytes:
        with self._opened() as database:
            row = database.execute("SELECT data FROM published WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise BadCheckpoint("nothing was put under this name", where=f"{self.file}: {name}")
        return bytes(row[0])

    def names(self, prefix: str = "") -> Iterator[str]:
        with self._opened() as database:
            query = "SELECT name FROM published WHERE substr(name, 1, ?) = ? ORDER BY name"
            rows = database.execute(query, (len(prefix), prefix)).fetchall()
        return (name for (name,) in rows)

    def delete(self, name: str) -> None:
        with self._opened() as database:
            database.execute("DELETE FROM published WHERE name = ?", (name,))

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """A connection for one transaction; raises `CoachError` in SQLite's own words."""
        try:
            with closing(sqlite3.connect(self.file, timeout=self.patience)) as database, database:
                database.execute(_TABLE)
                yield database
        except sqlite3.Error as error:
            raise CoachError(str(error), where=self.file) from None
