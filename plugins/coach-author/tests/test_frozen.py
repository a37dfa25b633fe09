"""Frozen classes and others, told apart in a child process."""

from __future__ import annotations

from coach_author.frozen import unfrozen

CODE = """
import attrs
print("noise")

@attrs.frozen(kw_only=True)
class Ice:
    a: int = 1

@attrs.define
class Water:
    a: int = 1

@attrs.frozen
class Bare:
    @attrs.define
    class Inner:
        a: int = 1
"""


def test_only_what_can_be_changed_is_named(tmp_path):
    (tmp_path / "waters.py").write_text(CODE)
    values = ["waters:Ice", "waters:Water", "waters:Bare", "waters:Bare.Inner"]
    assert unfrozen(values, [str(tmp_path)], 60.0) == ("waters:Water", "waters:Bare.Inner")


def test_nothing_asked_nothing_started():
    assert unfrozen([], [], 0.0) == ()
