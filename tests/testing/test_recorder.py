"""The recorder suite passes a sound recorder and finds each kind of fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import pytest

from coachcore.component import component
from coachcore.errors import BadSetting
from coachcore.events import Event, RunInfo
from coachcore.testing import recorder as suite
from coachcore.testing.toys import ToyList, ToySink


class NumberedSink:
    """Event kinds in a text file, with faults by name."""

    def __init__(self, path: Path, faults: tuple[str, ...]) -> None:
        self.path, self.faults = path, faults
        self.waiting: list[str] = []

    def event(self, event: Event) -> None:
        if "changes events" in self.faults and isinstance(event.data, dict):
            event.data["seen"] = True
        if "known kinds only" in self.faults and event.kind.startswith("a-kind"):
            raise BadSetting(f"what is {event.kind}?")
        self.waiting.append(f"{event.kind} {event.step}\n")

    def mark(self) -> Any:
        if "no flush" not in self.faults:
            self.flush()
        length = self.path.stat().st_size
        return (length,) if "odd mark" in self.faults else length

    def close(self) -> None:
        self.flush()

    def flush(self) -> None:
        with self.path.open("a") as file:
            file.writelines(self.waiting)
        self.waiting = []


@component("recorder", "numbered")
@attrs.frozen(kw_only=True)
class Numbered:
    faults: tuple[str, ...] = attrs.field(default=(), metadata={"coach": {"type": "str[]", "doc": "what to do wrong"}})

    def open(self, folder: Path, info: RunInfo, mark: Any = None) -> NumberedSink:
        path = folder / "kinds.txt"
        before = path.read_text() if path.exists() else ""
        kept = before if "appends" in self.faults else before[: mark or 0]
        if "keeps the old" in self.faults and mark is None:
            kept = before
        path.write_text(f"{id(self)}-{folder.name}\n" if "differs" in self.faults and not kept else kept)
        return NumberedSink(path, self.faults)


def kinds(folder: Path) -> str:
    return (folder / "kinds.txt").read_text()


def test_sound_recorders_pass(tmp_path: Path) -> None:
    (tmp_path / "numbered").mkdir()
    suite.check_recorder(Numbered(), tmp_path / "numbered", kinds)
    part = ToyList()
    (tmp_path / "list").mkdir()
    suite.check_recorder(part, tmp_path / "list", lambda folder: [str(event) for event in part.kept[folder]])


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("changes events", "the recorder changed an event of kind run-start"),
        ("odd mark", "a mark is plain JSON data, got"),
        ("no flush", "after a mark the record holds ''"),
        ("appends", "going on from a mark gives"),
        ("keeps the old", "opened again without a mark the record holds"),
    ],
)
def test_faults_are_found(fault: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=words):
        suite.check_recorder(Numbered(faults=(fault,)), tmp_path, kinds)


def test_records_that_differ_are_found(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="two equal runs leave different records"):
        suite.check_equal(Numbered(faults=("differs",)), tmp_path, kinds)


def test_a_recorder_must_bear_unknown_kinds(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="what is a-kind-of-later-versions"):
        suite.check_recorder(Numbered(faults=("known kinds only",)), tmp_path, kinds)


def test_the_list_goes_on_from_its_mark(tmp_path: Path) -> None:
    part = ToyList()
    sink: ToySink = part.open(tmp_path, suite.INFO)
    sink.event(suite.EVENTS[0])
    mark = sink.mark()
    sink.event(suite.EVENTS[1])
    part.open(tmp_path, suite.INFO, mark).event(suite.EVENTS[2])
    assert part.kept[tmp_path] == [suite.EVENTS[0], suite.EVENTS[2]]
