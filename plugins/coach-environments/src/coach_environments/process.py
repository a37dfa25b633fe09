"""One simulator's process: started, asked, heard, ended."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from coach_environments.wire import FINE, PAID, SIZE, Line, Lost, error_read, part_told, spaces_read
from coachcore.api import Array, BadSetting, CoachError, Obs, Spaces, spec_of

if TYPE_CHECKING:
    from coach_environments.processes import Processes

T = TypeVar("T")
Paid = tuple[Obs, float, bool, bool]
"""Observations ``[1, ...]``, reward, terminated, truncated."""

PATIENCE = 2.0
"""Seconds that a process is given to end by itself."""
_CODE = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from coach_environments.child import main; main({})"


class Worker:
    """A spawned process with one simulator in it. Where it fails, whatever is asked of it next is `Lost`."""

    def __init__(self, part: Processes, *, render: bool) -> None:
        self._part = part
        ours, theirs = socket.socketpair()
        self._line = Line(ours, part.start_limit)
        self.spaces = Spaces(observation={}, action=None)  # type: ignore[arg-type]  # known once it has begun
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _CODE.format(theirs.fileno()), json.dumps(sys.path)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=2,  # what a simulator prints must not mix with what the command prints
            )
        self.ask(b"", json_of={"part": part_told(part.environment), "render": render})

    def began(self) -> None:
        """Wait until it is ready; raises what the environment raised, or `BadSetting`."""
        try:
            self.spaces = self.heard(lambda line: spaces_read(line.receive_told()))
        except Lost as lost:
            name = spec_of(self._part.environment).name
            message = f"'{name}' cannot be made in a process of its own: {lost}"
            raise BadSetting(message, where="environment.environment") from None
        self._line.limit = self._part.step_limit

    def ask(self, *parts: bytes, json_of: object = None) -> None:
        """Send a request; where that fails, whoever awaits the answer learns of it."""
        try:
            if json_of is None:
                self._line.send(*parts)
            else:
                self._line.send_told(b"", json_of)
        except Lost:
            self._line.close()

    def heard(self, read: Callable[[Line], T]) -> T:
        """The answer, as `read` takes it; raises `Lost`, or what Coach's own parts raised there."""
        try:
            if bytes(self._line.receive(1)) == FINE:
                return read(self._line)
            told = self._line.receive_told()
        except Lost as lost:
            self._line.close()
            raise self._why(lost) from None
        error = error_read(told)
        if error is not None:
            raise error
        raise Lost(str(told.get("cause", "it failed")))

    def seen(self, line: Line) -> Obs:
        """How observations are read: arrays of their own, ``[1, ...]``."""
        found = {}
        for name, space in sorted(self.spaces.observation.items()):
            dtype = np.dtype(space.dtype)
            data = line.receive(int(np.prod(space.shape)) * dtype.itemsize)
            found[name] = np.frombuffer(data, dtype).reshape(1, *space.shape)
        return found

    def paid(self, line: Line) -> Paid:
        """How what followed an action is read."""
        return self.seen(line), *PAID.unpack(line.receive(PAID.size))

    @staticmethod
    def painted(line: Line) -> Array | None:
        """How a picture ``[H, W, 3]`` is read; None where there is none."""
        height, width = SIZE.unpack(line.receive(SIZE.size))
        if not height:
            return None
        return np.frombuffer(line.receive(height * width * 3), np.uint8).reshape(height, width, 3)

    def hang_up(self) -> None:
        """The process ends by itself once its wire is closed."""
        self._line.close()

    def end(self, patience: float) -> None:
        """Wait for it that many seconds, then kill it, which reaches a stopped process too."""
        self._line.close()
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _why(self, lost: Lost) -> Lost:
        """How it died, where it did."""
        if not lost.gone:
            return lost
        try:
            code = self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return lost
        return Lost(f"it died of signal {-code}" if code < 0 else f"it ended with exit code {code}")


def refused(part: Processes, env: int, why: str) -> CoachError:
    """What to raise where not even a second process does what was asked."""
    return CoachError(why, where=f"{spec_of(part.environment).name}, environment {env}")
