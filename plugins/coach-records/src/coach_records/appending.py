"""A file that only grows, and can be cut back to where it once was."""

from __future__ import annotations

import os
from pathlib import Path
from time import monotonic

from coachcore.api import BadCheckpoint, CoachError

FLUSH_SECONDS = 1.0


class Appended:
    """Bytes at the end of `path`: from nothing, or from byte `mark` on, dropping what came after it.

    Written out at least every second in which something is appended, and at
    every `mark`. Raises `BadCheckpoint` when the file is shorter than `mark`
    and `CoachError` when the disk is full; what was written before stays.
    """

    def __init__(self, path: Path, mark: int | None = None) -> None:
        self.path = path
        self._waiting: list[bytes] = []
        if mark and (not path.is_file() or path.stat().st_size < mark):
            raise BadCheckpoint(
                f"it was cut or replaced since the checkpoint, which knows {mark} bytes of it - "
                "put it back, or start a new run",
                where=str(path),
            )
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("r+b" if mark else "wb", buffering=0)
            if mark:
                self._file.truncate(mark)
        except OSError as error:
            raise self._failed(error) from error
        self._at = self._file.seek(mark or 0)
        self._flushed = monotonic()

    @property
    def size(self) -> int:
        """Bytes appended so far, those not yet written out included."""
        return self._at + sum(map(len, self._waiting))

    def append(self, data: bytes) -> None:
        """Add `data` at the end."""
        self._waiting.append(data)
        if monotonic() - self._flushed >= FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Hand everything to the operating system: it survives this process being killed."""
        data, self._waiting = memoryview(b"".join(self._waiting)), []
        self._flushed = monotonic()
        try:
            while data:
                written = self._file.write(data)
                self._at += written
                data = data[written:]
        except OSError as error:
            raise self._failed(error) from error

    def mark(self) -> int:
        """Flush, to the disk itself, and say how long the file is."""
        self.flush()
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._failed(error) from error
        return self._at

    def close(self) -> None:
        """Flush and close; closing twice is no error."""
        if not self._file.closed:
            try:
                self.flush()
            finally:
                self._file.close()

    def _failed(self, error: OSError) -> CoachError:
        return failed(self.path, error)


def failed(path: Path, error: OSError) -> CoachError:
    """What to tell the user when `path` cannot be written."""
    reason = error.strerror or type(error).__name__
    return CoachError(
        f"cannot write: {reason} - nothing already written is lost; make room and go on with --resume", where=str(path)
    )
