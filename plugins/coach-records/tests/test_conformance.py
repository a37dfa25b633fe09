"""Every recorder of this distribution keeps the contract."""

from __future__ import annotations

import csv
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coach_records.jsonl import JsonLines, read
from coach_records.table import Table
from coach_records.tensorboard import TensorBoard
from coach_records.terminal import Terminal
from coach_records.video import Video
from coachcore.testing.recorder import EVENTS, INFO, check_recorder


def lines(folder: Path) -> list[dict[str, Any]]:
    return [{key: value for key, value in line.items() if key != "at"} for line in read(folder / "events.jsonl")]


def rows(folder: Path) -> list[list[str]]:
    with (folder / "progress.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def curves(folder: Path) -> list[tuple[int, str, float]]:
    """What TensorBoard would draw: a session start drops whatever came at or after its step before it."""
    from tensorboardX.proto.event_pb2 import Event, SessionLog
    from tensorboardX.record_writer import masked_crc32c

    points: list[tuple[int, str, float]] = []
    for path in sorted((folder / "tensorboard").iterdir()):
        data = path.read_bytes()
        while data:
            (length,) = struct.unpack("<Q", data[:8])
            body = data[12 : 12 + length]
            assert struct.unpack("<I", data[8:12]) == (masked_crc32c(data[:8]),)
            assert struct.unpack("<I", data[12 + length : 16 + length]) == (masked_crc32c(body),)
            message, data = Event.FromString(body), data[16 + length :]
            if message.session_log.status == SessionLog.START:
                points = [point for point in points if point[0] < message.step]
            points += [(message.step, value.tag, value.simple_value) for value in message.summary.value]
    return points


READERS: list[tuple[Any, Callable[[Path], Any]]] = [
    (JsonLines(), lines),
    (Table(), rows),
    (Table(columns=("return", "loss")), rows),
    (TensorBoard(), curves),
    (Terminal(style="plain", every=0.0), lambda _: None),
    (Terminal(style="live"), lambda _: None),
    (Video(), lambda _: None),
]


@pytest.mark.parametrize(("part", "reader"), READERS, ids=lambda value: type(value).__name__)
def test_conformance(part: Any, reader: Callable[[Path], Any], tmp_path: Path) -> None:
    check_recorder(part, tmp_path, reader)


def test_tensorboard_reads_as_tensorboard_reads(tmp_path: Path) -> None:
    sink = TensorBoard().open(tmp_path, INFO)
    for event in EVENTS[:5]:
        sink.event(event)
    mark = sink.mark()
    sink.close()
    assert mark == 30
    assert [(step, tag) for step, tag, _ in curves(tmp_path)] == [
        (10, "train/return"),
        (10, "train/length"),
        (10, "train/exploration"),
        (20, "train/loss"),
        (20, "train/learning_rate"),
        (20, "train/exploration"),
        (20, "train/return"),
        (20, "train/length"),
        (20, "train/exploration"),
        (30, "eval/mean"),
        (30, "eval/std"),
        (30, "eval/min"),
        (30, "eval/max"),
        (30, "eval/length"),
    ]
    assert [path.name for path in (tmp_path / "tensorboard").iterdir()] == ["events.out.tfevents.000000"]
