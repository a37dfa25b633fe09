"""The recorder `tensorboard`: curves for TensorBoard, without TensorFlow."""

from __future__ import annotations

import struct
from pathlib import Path
from time import time
from typing import Any

import attrs

from coach_records.appending import Appended
from coachcore.api import Event, RunInfo, component

FOLDER = "tensorboard"
GROUPS = {"episode": "train", "report": "train", "evaluation": "eval"}
_LEFT_OUT = frozenset({"env", "episodes"})


@component("recorder", "tensorboard", needs=("tensorboardX",))
@attrs.frozen(kw_only=True)
class TensorBoard:
    """Scalars in ``tensorboard/``: ``train/return``, ``train/length``, ``train/loss`` ..., ``eval/mean`` ...

    The horizontal axis is environment steps. Every number in an episode, a
    report or an evaluation becomes a curve. A resumed run adds a file that
    tells TensorBoard to forget what came after the checkpoint.
    """

    def open(self, folder: Path, info: RunInfo, mark: Any = None) -> TensorBoardSink:
        """A new file in `folder`/tensorboard; `mark` is the last step to keep of the files before."""
        place = folder / FOLDER
        if mark is None:
            for left in place.glob("events.out.tfevents.*"):
                left.unlink()
        number = len(list(place.glob("events.out.tfevents.*")))
        return TensorBoardSink(Appended(place / f"events.out.tfevents.{number:06d}"), mark)


class TensorBoardSink:
    """An open event file: a sequence of framed `Event` messages, written by this thread alone.

    tensorboardX's own writer keeps a queue and a thread; a full disk would end
    that thread and not the run.
    """

    def __init__(self, file: Appended, mark: int | None) -> None:
        from tensorboardX.proto.event_pb2 import Event as Message
        from tensorboardX.proto.event_pb2 import SessionLog
        from tensorboardX.proto.summary_pb2 import Summary
        from tensorboardX.record_writer import masked_crc32c

        self._file, self._last = file, mark or 0
        self._message, self._summary, self._crc = Message, Summary, masked_crc32c
        self._write(Message(wall_time=time(), file_version="brain.Event:2"))
        if mark is not None:
            start = SessionLog(status=SessionLog.START)
            self._write(Message(wall_time=time(), step=mark + 1, session_log=start))

    def event(self, event: Event) -> None:
        """Add a point to the curve of each number in the event."""
        self._last = max(self._last, event.step)
        group = GROUPS.get(event.kind)
        if group is None:
            return
        values = [
            self._summary.Value(tag=f"{group}/{name}", simple_value=float(value))
            for name, value in event.data.items()
            if isinstance(value, int | float) and not isinstance(value, bool) and name not in _LEFT_OUT
        ]
        self._write(self._message(wall_time=time(), step=event.step, summary=self._summary(value=values)))

    def mark(self) -> int:
        """The last step recorded; everything up to it is on disk."""
        self._file.mark()
        return self._last

    def close(self) -> None:
        self._file.close()

    def _write(self, message: Any) -> None:
        """One record: length, its checksum, the message, its checksum (TFRecord)."""
        data = message.SerializeToString()
        length = struct.pack("<Q", len(data))
        self._file.append(length + self._sum(length) + data + self._sum(data))

    def _sum(self, data: bytes) -> bytes:
        return struct.pack("<I", self._crc(data))
