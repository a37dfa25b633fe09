"""What every store must keep true."""

from __future__ import annotations

from collections.abc import Callable
from sys import getswitchinterval, setswitchinterval
from threading import Event, Thread
from typing import Any

import attrs

from coachcore.errors import BadCheckpoint
from coachcore.testing.laws import refuses, require, settings_are_frozen

BYTES = {"policy/1": b"one", "policy/2": bytes(range(256)) * 4, "run/last": b""}
"""What the laws put: text, every byte there is, and nothing."""
ODD = ("odd/a/b", "odd/a_b", "odd/a%2Fb", "odd/a b", "odd/a.b", "odd/ab/", "odd/größe")
"""Names that are easily taken for one another."""
SIZE, WRITES = 20_000, 200
"""Bytes that are put while another one reads, and how often."""
HURRY = 1e-5
"""Seconds after which the threads of writer and reader take turns."""


def settings_never_change(part: Any) -> None:
    """It is a store, and its settings are frozen."""
    settings_are_frozen(part, "store")


def what_is_put_can_be_got(part: Any) -> None:
    """The same bytes, whole, also through an equal store that another process would make."""
    for name, data in BYTES.items():
        part.put(name, data)
        got = part.get(name)
        require(got == data, f"get gives the bytes last put as '{name}', got {len(got)} of {len(data)}")
    again = attrs.evolve(part)
    require(again.get("policy/2") == BYTES["policy/2"], "an equal store in another process reads the same bytes")


def the_newest_bytes_count(part: Any) -> None:
    """Putting twice leaves the second, and one name; also for another process that has read the first."""
    again = attrs.evolve(part)
    for data in (b"a longer text", b"short"):
        part.put("policy/1", data)
        for store in (part, again):
            require(store.get("policy/1") == data, "get gives what was put last, whoever has put it and read it before")
    require(list(part.names("policy/1")) == ["policy/1"], "putting again makes no second name")


def every_name_is_its_own(part: Any) -> None:
    """Names are any text: slashes, spaces and signs that files or addresses write otherwise do not mix."""
    for number, name in enumerate(ODD):
        part.put(name, bytes([number]))
    for number, name in enumerate(ODD):
        require(part.get(name) == bytes([number]), f"'{name}' holds what was put under another name")
    listed = list(part.names("odd/"))
    require(listed == sorted(ODD), f"names are listed as they were put, got {listed}")
    for name in ODD:
        part.delete(name)


def a_reader_sees_all_or_nothing(part: Any) -> None:
    """Whoever reads or lists while another process writes sees the old bytes or the new ones, and no other names."""
    name, blocks = "read/last", [bytes([number]) * (SIZE + number) for number in range(4)]
    part.put(name, blocks[0])
    usual = list(part.names())
    done, wrong = Event(), list[str]()
    looks = (
        lambda store: store.get(name) in blocks or "a mixture of bytes was got",
        lambda store: (listed := list(store.names())) == usual or f"{usual} were put, {listed} listed",
    )
    watching = [Thread(target=_watch, args=(attrs.evolve(part), look, done, wrong), daemon=True) for look in looks]
    patience = getswitchinterval()
    setswitchinterval(HURRY)
    try:
        for thread in watching:
            thread.start()
        for number in range(WRITES):
            part.put(name, blocks[number % len(blocks)])
    finally:
        setswitchinterval(patience)
        done.set()
        for thread in watching:
            thread.join()
    part.delete(name)
    require(not wrong, f"a reader sees the old bytes or the new ones, nothing in between: {wrong[:1]}")


def _watch(store: Any, look: Callable[[Any], bool | str], done: Event, wrong: list[str]) -> None:
    while not (done.is_set() or wrong):
        try:
            found = look(store)
        except Exception as error:  # noqa: BLE001 - whatever a plugin raises, a reader would have to bear
            found = f"{type(error).__name__}: {error}"
        if isinstance(found, str):
            wrong.append(found)


def names_are_listed_in_order(part: Any) -> None:
    """Sorted, by prefix, without what was deleted."""
    for name in reversed(BYTES):
        part.put(name, b"x")
    require(list(part.names()) == sorted(BYTES), f"names are sorted and all there, got {list(part.names())}")
    require(list(part.names("policy/")) == ["policy/1", "policy/2"], "names(prefix) gives those that begin so")
    part.delete("policy/1")
    require(list(part.names("policy/")) == ["policy/2"], "what was deleted is not listed")


def what_is_gone_is_said(part: Any) -> None:
    """Getting nothing is a `BadCheckpoint`; deleting nothing is no error."""
    part.put("gone", b"x")
    part.delete("gone")
    part.delete("gone")
    refuses(lambda: part.get("gone"), BadCheckpoint, "getting what is not there is a BadCheckpoint")


LAWS = (
    settings_never_change,
    what_is_put_can_be_got,
    the_newest_bytes_count,
    every_name_is_its_own,
    a_reader_sees_all_or_nothing,
    names_are_listed_in_order,
    what_is_gone_is_said,
)


def check_store(part: Any) -> None:
    """Every law above, in a store that the laws may fill; raises `AssertionError` with the rule that is broken."""
    for law in LAWS:
        for name in list(part.names()):
            part.delete(name)
        law(part)


class StoreConformance:
    """The laws as tests: subclass it as ``TestMine`` and give `make`."""

    def make(self) -> Any:
        """The store to test, empty."""
        raise NotImplementedError

    def test_settings_never_change(self) -> None:
        settings_never_change(self.make())

    def test_what_is_put_can_be_got(self) -> None:
        what_is_put_can_be_got(self.make())

    def test_the_newest_bytes_count(self) -> None:
        the_newest_bytes_count(self.make())

    def test_every_name_is_its_own(self) -> None:
        every_name_is_its_own(self.make())

    def test_a_reader_sees_all_or_nothing(self) -> None:
        a_reader_sees_all_or_nothing(self.make())

    def test_names_are_listed_in_order(self) -> None:
        names_are_listed_in_order(self.make())

    def test_what_is_gone_is_said(self) -> None:
        what_is_gone_is_said(self.make())
