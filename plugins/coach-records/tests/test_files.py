"""The recorders that write files: their exact text, torn ends, marks, and a full disk."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coach_records.appending import Appended
from coach_records.jsonl import JsonLines, read
from coach_records.table import Table
from coach_records.tensorboard import TensorBoard
from coachcore.api import BadCheckpoint, BadData, BadSetting, CoachError, Event, RunInfo

INFO = RunInfo(preset="toy", seed=1, environment="toy", agent="toy", total=40)
EPISODE = Event("episode", 10, 1, 0, {"return": 9.5, "length": 10, "env": 0, "exploration": 1.0, "phase": "heat-up"})
REPORT = Event("report", 20, 1, 10, {"loss": 0.25, "q": 3.0, "learning_rate": 0.001, "exploration": 0.5})
SCORE = {"mean": 12.0, "std": 1.5, "min": 10.0, "max": 14.0, "length": 12.0, "episodes": 4, "best": True}
EVALUATION = Event("evaluation", 30, 2, 20, SCORE)
SIMULATOR = Event("simulator", 25, 1, 15, {"env": 1, "cause": "it died of signal 9", "lost": True})


def test_jsonl_line(tmp_path: Path) -> None:
    sink = JsonLines().open(tmp_path, INFO)
    sink.event(EPISODE)
    sink.close()
    text = (tmp_path / "events.jsonl").read_text(encoding="utf-8")
    start = (
        '{"kind": "episode", "step": 10, "episode": 1, "update": 0, "data": {"return": 9.5, "length": 10, '
        '"env": 0, "exploration": 1.0, "phase": "heat-up"}, "at": "'
    )
    assert text.startswith(start)
    assert text.endswith('"}\n')
    at = datetime.fromisoformat(json.loads(text)["at"])
    assert at.utcoffset() is not None


def test_jsonl_writes_restarts(tmp_path: Path) -> None:
    sink = JsonLines().open(tmp_path, INFO)
    sink.event(SIMULATOR)
    sink.close()
    (line,) = read(tmp_path / "events.jsonl")
    assert datetime.fromisoformat(line.pop("at")).utcoffset() is not None
    assert line == {**SIMULATOR._asdict(), "data": {"env": 1, "cause": "it died of signal 9", "lost": True}}


def test_jsonl_numbers_that_json_lacks(tmp_path: Path) -> None:
    sink = JsonLines().open(tmp_path, INFO)
    odd = {"loss": float("nan"), "q": [np.float32(0.5), float("-inf")], "n": np.int64(3), "many": np.array([1, 2])}
    sink.event(Event("report", 1, 0, 0, odd))
    sink.close()
    (line,) = read(tmp_path / "events.jsonl")
    assert line["data"] == {"loss": "nan", "q": [0.5, "-inf"], "n": 3, "many": [1, 2]}


def test_jsonl_leaves_pictures_out(tmp_path: Path) -> None:
    sink = JsonLines().open(tmp_path, INFO)
    sink.event(Event("frame", 1, 0, 0, {"frame": np.zeros((2, 2, 3), np.uint8), "episode": 0}))
    sink.close()
    assert list(read(tmp_path / "events.jsonl")) == []


@pytest.mark.parametrize("torn", [b'{"kind": "rep', b'{"kind": "report"}', b"\xff"])
def test_a_torn_last_line_is_left_out(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"kind": "episode"}\n' + torn)
    assert list(read(path)) == [{"kind": "episode"}]


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"kind": "episode"}\n{"kind"\n{"kind": "report"}\n')
    with pytest.raises(BadData, match=r"events\.jsonl:2: not a line of JSON .* was the file edited\?"):
        list(read(path))


def test_a_torn_line_after_the_mark_is_dropped_on_resume(tmp_path: Path) -> None:
    sink = JsonLines().open(tmp_path, INFO)
    sink.event(EPISODE)
    mark = sink.mark()
    sink.close()
    path = tmp_path / "events.jsonl"
    path.write_bytes(path.read_bytes() + b'{"kind": "epi')
    again = JsonLines().open(tmp_path, INFO, mark)
    again.event(REPORT)
    again.close()
    assert [line["kind"] for line in read(path)] == ["episode", "report"]


@pytest.mark.parametrize("left", [None, b"short"])
def test_a_record_shorter_than_its_mark_is_refused(tmp_path: Path, left: bytes | None) -> None:
    path = tmp_path / "events.jsonl"
    if left is not None:
        path.write_bytes(left)
    with pytest.raises(BadCheckpoint) as caught:
        JsonLines().open(tmp_path, INFO, 100)
    assert str(caught.value) == (
        f"{path}: it was cut or replaced since the checkpoint, which knows 100 bytes of it - "
        "put it back, or start a new run"
    )
    assert (path.read_bytes() if path.exists() else None) == left


def test_csv_text(tmp_path: Path) -> None:
    sink = Table().open(tmp_path, INFO)
    thresholded = EVALUATION._replace(step=40, data=SCORE | {"success": 0.75})
    for event in (Event("run-start", 0, 0, 0, {}), EPISODE, REPORT, SIMULATOR, EVALUATION, thresholded):
        sink.event(event)
    sink.close()
    assert (tmp_path / "progress.csv").read_bytes() == (
        b"kind,step,episode,update,phase,return,length,exploration,loss,learning_rate,mean,std,min,max,episodes,success\n"
        b"episode,10,1,0,heat-up,9.5,10,1.0,,,,,,,,\n"
        b"report,20,1,10,,,,0.5,0.25,0.001,,,,,,\n"
        b"evaluation,30,2,20,,,12.0,,,,12.0,1.5,10.0,14.0,4,\n"
        b"evaluation,40,2,20,,,12.0,,,,12.0,1.5,10.0,14.0,4,0.75\n"
    )


def test_csv_columns_are_a_setting(tmp_path: Path) -> None:
    sink = Table(columns=("q",)).open(tmp_path, INFO)
    sink.event(REPORT)
    sink.close()
    assert (tmp_path / "progress.csv").read_text(encoding="utf-8") == "kind,step,episode,update,q\nreport,20,1,10,3.0\n"


@pytest.mark.parametrize("columns", [("loss", "loss"), ("step",)])
def test_csv_refuses_a_column_twice(columns: tuple[str, ...]) -> None:
    with pytest.raises(BadSetting, match=f"'{columns[0]}' would be in the table twice"):
        Table(columns=columns)


def test_what_is_appended_can_be_read_within_a_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 0.5, 1.0, 1.0, 1.5])
    monkeypatch.setattr("coach_records.appending.monotonic", lambda: next(times))
    file = Appended(tmp_path / "a")
    file.append(b"one ")
    assert (tmp_path / "a").read_bytes() == b""
    file.append(b"two ")
    assert (tmp_path / "a").read_bytes() == b"one two "
    assert file.size == 8
    monkeypatch.undo()
    file.close()
    file.close()


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize(
    ("part", "name", "call"),
    [
        (JsonLines(), "events.jsonl", "mark"),
        (JsonLines(), "events.jsonl", "close"),
        (Table(), "progress.csv", "mark"),
        (TensorBoard(), "tensorboard/events.out.tfevents.000000", "mark"),
    ],
)
def test_a_full_disk_is_one_line(
    tmp_path: Path, part: Any, name: str, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(FULL)
    if name.startswith("tensorboard"):
        monkeypatch.setattr(Path, "unlink", lambda _: None)
        monkeypatch.setattr(Path, "glob", lambda *_: iter(()))
    sink = part.open(tmp_path, INFO)
    sink.event(EPISODE)
    with pytest.raises(CoachError) as caught:
        getattr(sink, call)()
    sink.close()  # says it once, not again on the way out
    assert str(caught.value) == (
        f"{path}: cannot write: No space left on device - nothing already written is lost; "
        "make room and go on with --resume"
    )


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").mkdir()
    with pytest.raises(CoachError, match=r"events\.jsonl: cannot write: Is a directory"):
        JsonLines().open(tmp_path, INFO)


def test_a_disk_that_fills_up_while_it_is_asked_to_keep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_number: int) -> None:
        raise OSError(5, "Input/output error")

    sink = JsonLines().open(tmp_path, INFO)
    sink.event(EPISODE)
    monkeypatch.setattr("coach_records.appending.os.fsync", refuse)
    with pytest.raises(CoachError, match="cannot write: Input/output error"):
        sink.mark()
    sink.close()
    assert len(list(read(tmp_path / "events.jsonl"))) == 1


def test_a_file_where_a_folder_should_be_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "tensorboard").write_text("in the way")
    with pytest.raises(CoachError, match=r"tensorboard/events\.out\.tfevents\.000000: cannot write: "):
        TensorBoard().open(tmp_path, INFO)
