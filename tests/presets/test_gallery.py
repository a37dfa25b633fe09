"""A gallery of wrong presets, each with the exact lines that it deserves."""

from __future__ import annotations

from pathlib import Path

import pytest

from coachcore.errors import CoachError, Problems
from coachcore.presets.layers import LARGEST
from coachcore.presets.preset import load_preset
from coachcore.registry.registry import Registry

GALLERY = Path(__file__).parent / "gallery"
PICTURES = sorted(path.name for path in GALLERY.glob("*.toml"))


def lines(source: str | Path, parts: Registry) -> tuple[str, ...]:
    with pytest.raises(Problems) as caught:
        load_preset(source, registry=parts)
    return caught.value.lines


@pytest.mark.parametrize("picture", PICTURES)
def test_exact_lines(picture: str, parts: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GALLERY)
    assert list(lines(picture, parts)) == (GALLERY / picture).with_suffix(".txt").read_text().splitlines()


def test_every_line_says_what_would_work() -> None:
    """Where - what - what would work: a way out after a dash, or the type or form that was expected."""
    told = [line for path in GALLERY.glob("*.txt") for line in path.read_text().splitlines()]
    ways_out = (
        " - ",
        ": expected ",
        " must ",
        "; use one of ",
        "a whole number of ",
        ": not TOML: ",
        " takes the ",
        ", wanted is a ",
    )
    assert len(PICTURES) >= 60
    assert [line for line in told if not any(way in line for way in ways_out)] == []


def test_a_missing_file(tmp_path: Path, parts: Registry) -> None:
    (tmp_path / "mine.toml").write_text("coach = 1\n")
    (line,) = lines(tmp_path / "mein.toml", parts)
    assert line == (
        f"{tmp_path}/mein.toml: there is no file '{tmp_path}/mein.toml' - did you mean 'mine.toml'? "
        "known: mine.toml, track-chooser, track-walker"
    )


def test_a_missing_name(tmp_path: Path, parts: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (line,) = lines("track-choser", parts)
    assert line == (
        "track-choser: there is no preset 'track-choser' - did you mean 'track-chooser'? "
        "known: track-chooser, track-walker"
    )


def test_a_folder(tmp_path: Path, parts: Registry) -> None:
    assert lines(f"{tmp_path}/", parts)[0].endswith("this is a folder - name the .toml file in it")


def test_a_file_that_may_not_be_read(tmp_path: Path, parts: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    file = tmp_path / "mine.toml"
    file.touch()
    monkeypatch.setattr(Path, "open", forbidden)
    assert lines(file, parts) == (f"{file}: cannot be read (Permission denied) - check the path and its permissions",)


def test_a_path_that_no_file_can_have(parts: Registry) -> None:
    name = "x" * 5000 + ".toml"
    assert lines(name, parts) == (f"{name}: cannot be read (File name too long) - check the path and its permissions",)


def test_not_utf8(tmp_path: Path, parts: Registry) -> None:
    file = tmp_path / "latin.toml"
    file.write_bytes("coach = 1\nsummary = 'caf\xe9'\n".encode("latin-1"))
    assert lines(file, parts) == (f"{file}:2:15: not UTF-8 text (byte 0xe9) - save the file as UTF-8",)


def test_a_byte_order_mark_is_no_harm(tmp_path: Path, parts: Registry) -> None:
    file = tmp_path / "mark.toml"
    file.write_bytes(b'\xef\xbb\xbfcoach = 1\nextends = "track-chooser"\n')
    assert load_preset(file, registry=parts).document["coach"] == 1


def test_too_large(tmp_path: Path, parts: Registry) -> None:
    file = tmp_path / "large.toml"
    file.write_text("#" * (LARGEST + 1))
    assert lines(file, parts) == (f"{file}: larger than 1024 KiB - this is not a preset",)


def test_nested_too_deeply(tmp_path: Path, parts: Registry) -> None:
    file = tmp_path / "deep.toml"
    file.write_text("coach = 1\na = " + "[" * 100_000 + "]" * 100_000)
    (line,) = lines(file, parts)
    assert line.startswith(f"{file}:1:1: ") or "not TOML" in line


def test_a_number_of_thousands_of_digits(tmp_path: Path, parts: Registry) -> None:
    file = tmp_path / "digits.toml"
    file.write_text("coach = " + "9" * 5000)
    assert ": not TOML: " in lines(file, parts)[0]


def test_errors_are_sorted_by_layer_then_position(tmp_path: Path, parts: Registry) -> None:
    (tmp_path / "low.toml").write_text('coach = 1\nextends = "track-chooser"\nagent.x = 1\n')
    (tmp_path / "mine.toml").write_text('coach = 1\nextends = "low.toml"\nagent.z = 1\nagent.y = 1\n')
    (tmp_path / "over.toml").write_text("agent.w = 1\n")
    with pytest.raises(Problems) as caught:
        load_preset(tmp_path / "mine.toml", withs=[tmp_path / "over.toml"], sets=["agent.v=1"], registry=parts)
    found = [line.partition(": agent 'chooser' has no setting ")[0] for line in caught.value.lines]
    at = [
        f"{tmp_path}/low.toml:3:7",
        f"{tmp_path}/mine.toml:3:7",
        f"{tmp_path}/mine.toml:4:7",
        f"{tmp_path}/over.toml:1:7",
    ]
    assert found == [*at, "--set agent.v=1 (column 7)"]


def test_a_base_of_a_later_format(tmp_path: Path, parts: Registry) -> None:
    (tmp_path / "low.toml").write_text('coach = 3\nextends = "track-chooser"\n')
    (tmp_path / "mine.toml").write_text('coach = 1\nextends = "low.toml"\n')
    assert lines(tmp_path / "mine.toml", parts)[0].startswith(f"{tmp_path}/low.toml:1:9: coach: format 3 is newer")


def test_problems_are_coach_errors(parts: Registry) -> None:
    with pytest.raises(CoachError) as caught:
        load_preset({}, registry=parts)
    assert caught.value.exit_code == 2
    assert str(caught.value).startswith("the preset: a preset needs 'coach'")


def test_plain_data_is_placed_by_path(parts: Registry) -> None:
    with pytest.raises(Problems) as caught:
        load_preset({"coach": 1, "extends": "track-chooser", "memory": {"capacity": "5"}, "filters": 3}, registry=parts)
    assert caught.value.lines == (
        "filters: filters must be a table, got 3",
        'memory.capacity: capacity: expected a whole number, got "5" - write 5 without quotes',
    )
