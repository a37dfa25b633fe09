"""What every recorder must keep true, as checks that a plugin's own tests can run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from coachcore.contracts.recorder import Recorder, Sink
from coachcore.events import Event, RunInfo
from coachcore.testing.laws import require, same, settings_are_frozen

Read = Callable[[Path], Any]
"""What lies in a run folder, as something that can be compared; times of writing left out."""

INFO = RunInfo(preset="toy", seed=1, environment="toy", agent="toy", total=40)
_EPISODE = {"return": 9.5, "length": 10, "env": 0, "exploration": 0.5, "phase": "training"}
_SCORE = {"mean": 12.0, "std": 1.5, "min": 10.0, "max": 14.0, "length": 12.0, "episodes": 4, "best": True}
EVENTS = (
    Event("run-start", 0, 0, 0, {"preset": "toy", "seed": 1}),
    Event("episode", 10, 1, 0, {**_EPISODE, "phase": "heat-up"}),
    Event("report", 20, 1, 10, {"loss": 0.25, "learning_rate": 1e-3, "exploration": 0.5}),
    Event("episode", 20, 2, 10, _EPISODE),
    Event("evaluation", 30, 2, 20, _SCORE),
    Event("episode", 35, 3, 25, {**_EPISODE, "return": -3.25}),
    Event("run-end", 40, 3, 30, {"reason": "finished", "best": 12.0}),
)
MARKED = 4
"""The checkpoint of the checks falls after this many events."""


def _told(sink: Sink, events: Iterable[Event]) -> Sink:
    for event in events:
        sink.event(event)
    return sink


def _whole(part: Recorder, folder: Path, events: Iterable[Event] = EVENTS) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    _told(part.open(folder, INFO), events).close()
    return folder


def check_settings(part: Recorder) -> None:
    """The part is marked as a recorder and its settings cannot be changed."""
    settings_are_frozen(part, "recorder")


def check_reads_only(part: Recorder, folder: Path) -> None:
    """Events are not changed, and a kind of event it does not know is no error."""
    events = [event._replace(data=dict(event.data)) for event in EVENTS]
    _whole(part, folder, (*events, Event("a-kind-of-later-versions", 40, 3, 30, {"odd": "yes"})))
    for event, original in zip(events, EVENTS, strict=True):
        require(event == original, f"the recorder changed an event of kind {event.kind}")


def check_mark_is_plain(part: Recorder, folder: Path) -> None:
    """A mark is plain JSON data: a checkpoint keeps it as it is."""
    folder.mkdir()
    sink = _told(part.open(folder, INFO), EVENTS[:MARKED])
    mark = sink.mark()
    sink.close()
    require(json.loads(json.dumps(mark)) == mark, f"a mark is plain JSON data, got {mark!r}")


def check_survives(part: Recorder, folder: Path, read: Read) -> None:
    """What was told before `mark` can be read while the sink is still open: being killed then loses nothing."""
    (folder / "open").mkdir(parents=True)
    sink = _told(part.open(folder / "open", INFO), EVENTS[:MARKED])
    sink.mark()
    found = read(folder / "open")
    sink.close()
    wanted = read(_whole(part, folder / "closed", EVENTS[:MARKED]))
    require(same(found, wanted), f"after a mark the record holds {found!r}, it should hold {wanted!r}")


def check_goes_on(part: Recorder, folder: Path, read: Read) -> None:
    """Opened at a mark, twice over, the record is as if nothing after the mark had been written."""
    (folder / "resumed").mkdir(parents=True)
    sink = _told(part.open(folder / "resumed", INFO), EVENTS[:MARKED])
    mark = sink.mark()
    _told(sink, EVENTS[MARKED:]).close()
    for end in (len(EVENTS) - 1, len(EVENTS)):  # first less than was written before, so that what is left shows
        _told(part.open(folder / "resumed", INFO, mark), EVENTS[MARKED:end]).close()
        found, wanted = read(folder / "resumed"), read(_whole(part, folder / f"straight-{end}", EVENTS[:end]))
        require(same(found, wanted), f"going on from a mark gives {found!r}, never having stopped gives {wanted!r}")


def check_starts_anew(part: Recorder, folder: Path, read: Read) -> None:
    """Opened without a mark, it begins from nothing, whatever lies there."""
    wanted = read(_whole(part, folder / "once", EVENTS[:-1]))
    for events in (EVENTS, EVENTS[:-1]):
        _whole(part, folder / "twice", events)
    found = read(folder / "twice")
    require(same(found, wanted), f"opened again without a mark the record holds {found!r}, it should hold {wanted!r}")


def check_equal(part: Recorder, folder: Path, read: Read) -> None:
    """Two equal runs leave equal records."""
    first, second = read(_whole(part, folder / "first")), read(_whole(part, folder / "second"))
    require(same(first, second), f"two equal runs leave different records: {first!r} and {second!r}")


def check_recorder(part: Recorder, folder: Path, read: Read = lambda _folder: None) -> None:
    """All of the above in `folder`; an `AssertionError` says which promise is broken.

    `read` says what a run folder holds. Without it only what can be seen from
    outside is checked, which is right for a recorder that leaves nothing behind.
    """
    check_settings(part)
    check_reads_only(part, folder / "reads-only")
    check_mark_is_plain(part, folder / "mark")
    for check in (check_survives, check_goes_on, check_starts_anew, check_equal):
        check(part, folder / check.__name__, read)


class RecorderConformance:
    """The checks as tests: subclass it as ``TestMine``, give `make` and, where it writes, `read`."""

    def make(self) -> Any:
        """The recorder to test."""
        raise NotImplementedError

    def read(self, folder: Path) -> Any:
        """What lies in a run folder, as something that can be compared; times of writing left out."""
        return None

    def test_settings(self) -> None:
        check_settings(self.make())

    def test_reads_only(self, tmp_path: Path) -> None:
        check_reads_only(self.make(), tmp_path / "run")

    def test_mark_is_plain(self, tmp_path: Path) -> None:
        check_mark_is_plain(self.make(), tmp_path / "run")

    def test_survives(self, tmp_path: Path) -> None:
        check_survives(self.make(), tmp_path, self.read)

    def test_goes_on(self, tmp_path: Path) -> None:
        check_goes_on(self.make(), tmp_path, self.read)

    def test_starts_anew(self, tmp_path: Path) -> None:
        check_starts_anew(self.make(), tmp_path, self.read)

    def test_equal(self, tmp_path: Path) -> None:
        check_equal(self.make(), tmp_path, self.read)
