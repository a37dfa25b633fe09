"""Whatever a plugin does costs one line, and its logging is not silenced for good."""

from __future__ import annotations

import io
import sys

import pytest

from coachcore.errors import BrokenPlugin, StopRun
from coachcore.registry.isolate import Muffle, cause, isolated, load_object, muffled


def test_what_is_printed_is_kept_and_the_streams_come_back(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout, sys.stderr
    with muffled() as (out, err):
        print("out")
        print("err", file=sys.stderr)
        sys.stdout.flush()
    assert (out.kept, err.kept) == ("out\n", "err\n")
    assert (sys.stdout, sys.stderr) == before
    assert capsys.readouterr() == ("", "")


def test_a_stream_held_on_to_speaks_again_afterwards(capsys: pytest.CaptureFixture[str]) -> None:
    with muffled():
        held = sys.stderr
        held.write("while importing")
    held.write("later")
    held.flush()
    assert capsys.readouterr().err == "later"


def test_a_muffled_stream_is_otherwise_the_one_below() -> None:
    below = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    muffle = Muffle(below)
    assert muffle.encoding == "latin-1"
    assert not muffle.isatty()
    with pytest.raises(OSError, match="fileno"):
        muffle.fileno()
    muffle.flush()
    muffle.shut = False
    muffle.write("é")
    muffle.flush()
    assert below.buffer.getvalue() == b"\xe9"  # type: ignore[attr-defined]


def test_an_outer_muffle_hears_of_what_an_inner_one_kept() -> None:
    with muffled() as (outer, _):
        print("before")
        with muffled() as (inner, _):
            print("within")
        print("after")
    assert inner.kept == "within\n"
    assert outer.kept == "before\nwithin\nafter\n"


@pytest.mark.parametrize("passes", [KeyboardInterrupt, StopRun])
def test_ctrl_c_and_a_wish_to_stop_pass(passes: type[BaseException]) -> None:
    with pytest.raises(passes), isolated("acme", "asked"):
        raise passes


def test_a_cause_is_one_line() -> None:
    assert cause(ValueError("one\ntwo")) == "ValueError: one"
    assert cause(ValueError()) == "ValueError"


def test_objects_and_modules_are_loaded_by_name() -> None:
    assert load_object("collections.abc:Mapping.get", "acme").__name__ == "get"
    assert load_object("json", "acme").__name__ == "json"
    with pytest.raises(BrokenPlugin, match=r"^acme: could not be imported - ModuleNotFoundError"):
        load_object("gone_for_good:x", "acme")
