"""What every store must keep true."""

from __future__ import annotations

from typing import Any

from coachcore.errors import BadCheckpoint
from coachcore.testing.laws import refuses, require, settings_are_frozen

BYTES = {"policy/1": b"one", "policy/2": bytes(range(256)) * 4, "run/last": b""}
"""What the laws put: text, every byte there is, and nothing."""


def settings_never_change(part: Any) -> None:
    """It is a store, and its settings are frozen."""
    settings_are_frozen(part, "store")


def what_is_put_can_be_got(part: Any) -> None:
    """The same bytes, whole, also through an equal store that another process would make."""
    for name, data in BYTES.items():
        part.put(name, data)
        got = part.get(name)
        require(got == data, f"get gives the bytes last put as '{name}', got {len(got)} of {len(data)}")
    again = type(part)(**_settings(part))
    require(again.get("policy/2") == BYTES["policy/2"], "an equal store in another process reads the same bytes")


def the_newest_bytes_count(part: Any) -> None:
    """Putting twice leaves the second, and one name."""
    for data in (b"a longer text", b"short"):
        part.put("policy/1", data)
    require(part.get("policy/1") == b"short", "putting again replaces all of what was there")
    require(list(part.names("policy/1")) == ["policy/1"], "putting again makes no second name")


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
    names_are_listed_in_order,
    what_is_gone_is_said,
)


def _settings(part: Any) -> dict[str, Any]:
    import attrs

    return {field.name: getattr(part, field.name) for field in attrs.fields(type(part)) if field.init}


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

    def test_names_are_listed_in_order(self) -> None:
        names_are_listed_in_order(self.make())

    def test_what_is_gone_is_said(self) -> None:
        what_is_gone_is_said(self.make())
