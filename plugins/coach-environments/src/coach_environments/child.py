"""What runs in a simulator's process: one environment, told over a wire what to do."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys
from contextlib import closing, suppress
from typing import Any

import numpy as np

from coach_environments.wire import (
    FINE,
    PAID,
    RENDER,
    RESET,
    SEED,
    SIZE,
    STEP,
    WRONG,
    Line,
    Lost,
    error_told,
    obs_bytes,
    part_read,
    spaces_told,
)
from coachcore.api import Array, CoachError

_KILL_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def main(descriptor: int) -> None:
    """Serve the wire until its other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business, which closes the wire
    _end_with(os.getppid())
    with closing(Line(socket.socket(fileno=descriptor))) as line, suppress(Lost):
        _serve(line)


def _serve(line: Line) -> None:
    """Make the environment, say what it shows, answer; raises `Lost` when the other end is gone."""
    given = line.receive_told()
    try:
        environment = part_read(given["part"]).make(1, render=given["render"])
    except BaseException as error:  # noqa: BLE001 - a plugin may raise anything, sys.exit too
        line.send_told(WRONG, _told(error))
        return
    try:
        line.send_told(FINE, spaces_told(environment.spaces))
        while True:
            _answer(line, environment, bytes(line.receive(1)))
    finally:
        with suppress(Exception):  # whatever a dying simulator says of it
            environment.close()


def _answer(line: Line, environment: Any, asked: bytes) -> None:
    given = line.receive(_size(environment, asked))
    try:
        answer = ANSWERS[asked](environment, bytes(given))
    except BaseException as error:  # noqa: BLE001 - told, and then the parent starts another process
        line.send_told(WRONG, _told(error))
    else:
        line.send(FINE, answer)


def _size(environment: Any, asked: bytes) -> int:
    action = environment.spaces.action
    per_action = int(np.prod(action.shape)) * np.dtype(action.dtype).itemsize
    return {RESET: SEED.size, STEP: per_action, RENDER: 0}[asked]


def _reset(environment: Any, given: bytes) -> bytes:
    return obs_bytes(environment.spaces, environment.reset([0], [SEED.unpack(given)[0]]))


def _step(environment: Any, given: bytes) -> bytes:
    action = environment.spaces.action
    step = environment.step(np.frombuffer(given, action.dtype).reshape(1, *action.shape))
    paid = PAID.pack(float(step.reward[0]), bool(step.terminated[0]), bool(step.truncated[0]))
    return obs_bytes(environment.spaces, step.obs) + paid


def _render(environment: Any, _given: bytes) -> bytes:
    picture: Array | None = environment.render()
    if picture is None:
        return SIZE.pack(0, 0)
    return SIZE.pack(*picture.shape[:2]) + np.ascontiguousarray(picture, np.uint8).tobytes()


ANSWERS = {RESET: _reset, STEP: _step, RENDER: _render}


def _told(error: BaseException) -> dict[str, str]:
    """An error in words: Coach's own with its class, of others only what they say."""
    if isinstance(error, CoachError):
        return error_told(error)
    text = " ".join(str(error).split())
    return {"cause": f"{type(error).__name__}: {text}" if text else type(error).__name__}


def _end_with(parent: int) -> None:
    """Where the kernel can: be killed when the parent dies, even while a simulator hangs."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_KILL_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
