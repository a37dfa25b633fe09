"""Frames, and parts and spaces as data."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from coach_environments.paced import Paced
from coach_environments.wire import (
    Line,
    Lost,
    error_read,
    error_told,
    obs_bytes,
    part_read,
    part_told,
    spaces_read,
    spaces_told,
)
from coachcore.api import (
    Attention,
    BadData,
    BadSetting,
    Box,
    CoachError,
    Compound,
    Discrete,
    MultiSelect,
    Spaces,
    StopRun,
)


@pytest.fixture
def lines() -> Iterator[tuple[Line, Line]]:
    ends = [Line(end, 5.0) for end in socket.socketpair()]
    yield ends[0], ends[1]
    for line in ends:
        line.close()


def test_bytes_and_json_come_through(lines: tuple[Line, Line]) -> None:
    one, other = lines
    one.send(b"ab", memoryview(b"cd"))
    one.send_told(b"X", {"a": [1, None]})
    assert bytes(other.receive(4)) == b"abcd"
    assert bytes(other.receive(1)) == b"X"
    assert other.receive_told() == {"a": [1, None]}


def test_what_can_go_wrong(lines: tuple[Line, Line]) -> None:
    one, other = lines
    with pytest.raises(Lost, match="it sent 4294967295 bytes at once"):
        other.receive(2**32 - 1)
    one.send(b"\3\0\0\0{?}")
    with pytest.raises(Lost, match="it sent no JSON"):
        other.receive_told()
    other.limit = 0.05
    with pytest.raises(Lost, match=r"it gave no answer within 0\.05 s") as hung:
        other.receive(1)
    assert not hung.value.gone
    one.close()
    with pytest.raises(Lost, match="it died") as died:
        other.receive(1)
    assert died.value.gone
    with pytest.raises(Lost, match="it died"):
        one.send(b"x")


def test_parts_are_data_and_parts_again(frail: Callable[..., Any]) -> None:
    part = Paced(environment=frail(length=9), frame_skip=2, opening=(1, 2))
    assert part_read(json.loads(json.dumps(part_told(part)))) == part
    assert part_read(part_told({"a": (1, None, "x"), "b": {"c": 2.5}})) == {"a": (1, None, "x"), "b": {"c": 2.5}}
    with pytest.raises(CoachError, match=r"<object .*> cannot be sent to another process - run it without 'processes'"):
        part_told({"a": object()})


SPACES = (
    Box((2,), -np.inf, 3.0, names=("a", "b")),
    Box((2, 2), [[0, 1], [2, 3]], 9.0),
    Box((2, 2, 3), 0, 255, "uint8"),
    Discrete(3, ("x", "y", "z")),
    MultiSelect(4, 2),
    Attention(Box((2,), 0.0, 5.0), 1.0),
    Compound({"turn": Discrete(2), "speed": Box((1,), 0.0, 1.0)}),
)


@pytest.mark.parametrize("space", SPACES, ids=lambda space: type(space).__name__)
def test_spaces_are_data_and_spaces_again(space: Any) -> None:
    spaces = Spaces(observation={"one": space}, action=space, success=2.0)
    assert spaces_read(json.loads(json.dumps(spaces_told(spaces)))) == spaces


def test_only_spaces_are_made_of_what_is_read() -> None:
    with pytest.raises(Lost, match="it did not say what it shows"):
        spaces_read({"space": "StopRun", "given": {}})
    assert StopRun.__name__ == "StopRun"


def test_observations_as_promised() -> None:
    spaces = Spaces(observation={"b": Box((2,)), "a": Box((1,), 0, 9, "uint8")}, action=Discrete(2))
    data = obs_bytes(spaces, {"b": np.array([[1.0, 2.0]]), "a": np.array([[7]])})
    assert data == b"\7" + np.array([1.0, 2.0], "<f4").tobytes()
    with pytest.raises(BadData, match=r"observation 'b' has shape \(3,\), promised was \(2,\)"):
        obs_bytes(spaces, {"b": np.zeros((1, 3)), "a": np.zeros((1, 1))})


def test_errors_of_coachs_own_keep_their_class() -> None:
    error = error_read(error_told(BadSetting("no", where="here")))
    assert (type(error), str(error)) == (BadSetting, "here: no")
    assert type(error_read({"error": "StopRun", "message": "x"})) is CoachError
    assert error_read({"cause": "x"}) is None
    assert error_read("x") is None
