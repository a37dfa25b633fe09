"""`coach upgrade`: names change, nothing else does."""

from __future__ import annotations

import tomllib

import pytest

import coachcore

OLD = """\
# mine
coach = 1
environment = { use = "toy-signs" }   # "Shelf"
engine = { use = 'toy-numpy' }

[agent]
use = "PupilAgent"   # PupilAgent
loss = "mse"
gamma = 0.5  # gamma

[exploration]
use = 'Chance'
epsilon = { end = 0.1, use = "Line" }

[memory]
"use" = "parts/memory:OldShelf"
  size   =  1_000

[[filters.reward]]
"by" = 2.0
use = "Times"
[[filters.reward]]
use = "times"
'by' = 3.0
"""
NEW = """\
# mine
coach = 1
environment = { use = "toy-signs" }   # "Shelf"
engine = { use = 'toy-numpy' }

[agent]
use = "pupil"   # PupilAgent
loss = "mse"
discount = 0.5  # gamma

[exploration]
use = 'chance'
epsilon = { end = 0.1, use = "line" }

[memory]
"use" = "parts/memory:shelf"
  capacity   =  1_000

[[filters.reward]]
"factor" = 2.0
use = "times"
[[filters.reward]]
use = "times"
'factor' = 3.0
"""


@pytest.fixture
def old(tmp_path):
    file = tmp_path / "old.toml"
    file.write_text(OLD)
    return file


def test_it_shows_what_it_would_change(coach, old):
    code, out, err = coach("upgrade", "old.toml")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:2] == ["--- old.toml", "+++ old.toml (upgraded)"]
    assert [line for line in lines[2:] if line.startswith("-")] == [
        f"-{line}" for line, new in zip(OLD.splitlines(), NEW.splitlines(), strict=True) if line != new
    ]
    assert old.read_text() == OLD


def test_it_writes_names_and_nothing_else(coach, old):
    assert coach("upgrade", "old.toml", "--write") == (0, "old.toml: upgraded\n", "")
    assert old.read_text() == NEW
    assert coach("check", "old.toml").code == 0
    assert coach("upgrade", "old.toml", "--write") == (0, "old.toml: nothing to upgrade\n", "")


def test_line_breaks_stay(coach, old):
    old.write_bytes(OLD.replace("\n", "\r\n").encode())
    coach("upgrade", "old.toml", "--write")
    assert old.read_bytes() == NEW.replace("\n", "\r\n").encode()


def test_old_names_of_parts_mean_the_same(coach, small):
    before = coachcore.load_preset(small).resolved
    small.write_text(small.read_text().replace('"pupil"', '"PupilAgent"').replace("'shelf'", "'OldShelf'"))
    coach("upgrade", "small.toml", "--write")
    assert "OldShelf" not in small.read_text()
    assert coachcore.load_preset(small).resolved == before


def test_a_setting_of_a_part_that_a_lower_preset_names(coach, small, tmp_path):
    (tmp_path / "mine.toml").write_text('coach = 1\nextends = "small.toml"\nmemory.size = 70\n')
    assert coach("upgrade", "mine.toml", "--write").code == 0
    assert (tmp_path / "mine.toml").read_text() == 'coach = 1\nextends = "small.toml"\nmemory.capacity = 70\n'
    assert coachcore.load_preset(tmp_path / "mine.toml").resolved["memory"]["capacity"] == 70


def test_both_names_at_once(coach, old):
    old.write_text(OLD.replace("gamma =", "discount = 1.0\ngamma ="))
    assert coach("upgrade", "old.toml") == (
        2,
        "",
        "coach: pupil has both 'gamma' and 'discount', its new name - keep one\n",
    )


def test_a_renamed_table_in_several_pieces(coach, tmp_path):
    (tmp_path / "mine.toml").write_text('coach = 1\n[memory]\nuse = "shelf"\nsize.a = 1\nsize.b = 2\n')
    text = (tmp_path / "mine.toml").read_text()
    code, out, err = coach("upgrade", "mine.toml", "--write")
    assert (code, out) == (2, "")
    assert err == "coach: mine.toml: a renamed setting is written in several places - rename it by hand\n"
    assert (tmp_path / "mine.toml").read_text() == text


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"coach = ", "coach: mine.toml: not TOML: Invalid value (at end of document) - see `coach check`"),
        (b"\xff", "coach: mine.toml: not UTF-8 text - save the file as UTF-8"),
    ],
)
def test_what_is_no_preset(coach, tmp_path, content, line):
    (tmp_path / "mine.toml").write_bytes(content)
    assert coach("upgrade", "mine.toml") == (2, "", f"{line}\n")


def test_what_is_no_file(coach, tmp_path):
    (tmp_path / "folder.toml").mkdir()
    assert coach("upgrade", "folder.toml").err == "coach: folder.toml: cannot be read: Is a directory\n"
    assert coach("upgrade", "mine.toml").err.startswith("coach: there is no file 'mine.toml' - ")


def test_a_file_that_may_not_be_written(coach, old, monkeypatch):
    def refused(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(old), "write_bytes", refused)
    assert coach("upgrade", "old.toml", "--write").err == "coach: old.toml: cannot be written: Permission denied\n"
    assert tomllib.loads(old.read_text()) == tomllib.loads(OLD)
