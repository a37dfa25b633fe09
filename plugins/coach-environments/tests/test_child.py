"""What a process of its own answers, asked in this one."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest

from coach_environments import child
from coach_environments.wire import FINE, PAID, RENDER, RESET, SEED, SIZE, STEP, WRONG, Line, part_told, spaces_read


@pytest.fixture(autouse=True)
def harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process is no child."""
    monkeypatch.setattr(child, "_end_with", lambda parent: None)
    monkeypatch.setattr(child.signal, "signal", lambda *_: None)


def served(part: Any, *, render: bool = False) -> tuple[Line, threading.Thread]:
    ours, theirs = socket.socketpair()
    line = Line(ours, 10.0)
    line.send_told(b"", {"part": part_told(part), "render": render})
    thread = threading.Thread(target=child.main, args=[theirs.detach()])
    thread.start()
    return line, thread


def test_an_episode_in_bytes(frail: Callable[..., Any]) -> None:
    line, thread = served(frail(), render=True)
    assert bytes(line.receive(1)) == FINE
    assert spaces_read(line.receive_told()) == frail().make(1).spaces
    line.send(RESET, SEED.pack(5))
    assert bytes(line.receive(1)) == FINE
    assert bytes(line.receive(3 * 4)) == b"".join([b"\0\0\xa0\x40", b"\0" * 8])  # 5.0, 0.0, 0.0
    assert bytes(line.receive(12)) == b"\0" * 12
    line.send(STEP, (4).to_bytes(8, "little"))
    assert bytes(line.receive(1 + 12 + 12))[-1] == 1
    assert PAID.unpack(line.receive(PAID.size)) == (4.0, False, False)
    line.send(RENDER)
    assert bytes(line.receive(1)) == FINE
    assert SIZE.unpack(line.receive(SIZE.size)) == (4, 6)
    assert bytes(line.receive(72)) == b"\1" * 72
    line.close()
    thread.join(10)
    assert not thread.is_alive()


def test_errors_are_told(frail: Callable[..., Any]) -> None:
    line, thread = served(frail(how="raise", where="make"))
    assert bytes(line.receive(1)) == WRONG
    assert line.receive_told() == {"cause": "RuntimeError: two lines"}
    thread.join(10)
    line.close()
