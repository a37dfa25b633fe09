"""`coach fill`: every default is written out, and nothing that was written is lost."""

from __future__ import annotations

import tomllib

import pytest

import coachcore
from coachcore.testing.toy_plugin import toy_preset


def test_comments_and_order_are_kept_and_defaults_explained(coach, small):
    code, out, err = coach("fill", "small.toml")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:3] == ["# mine", "coach = 1", "seed = 0  # where all chance comes from"]
    for line in (
        "count = 1  # environments that run side by side",
        "discount = 0.9     # less",
        'loss = "huber"  # how an error becomes a loss',
        'epsilon = { start = 0.5, use = "line", end = 0.05 } # half',
        "capacity = 500  # transitions kept",
        "use = 'shelf'",
        "# the end",
        "[agent.learner]",
        "[agent.network]",
        "[schedule]",
        'train = "50_000 steps"  # length of the whole run, heat-up included',
    ):
        assert line in lines
    assert [line for line in small.read_text().splitlines() if "epsilon" not in line and line not in lines] == []


def test_what_is_filled_is_the_same_preset_with_nothing_left_to_add(coach, small):
    before = coachcore.load_preset(small).resolved
    text = coach("fill", "small.toml").out
    small.write_text(text)
    assert coachcore.load_preset(small).resolved == before
    assert tomllib.loads(text) == before
    assert coach("fill", "small.toml").out == text
    assert coach("fill", "small.toml", "--diff").out == "nothing to add: every default is written out\n"


def test_the_difference(coach, small):
    code, out, err = coach("fill", "small.toml", "--diff")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:2] == ["--- small.toml", "+++ small.toml (filled)"]
    assert "+seed = 0  # where all chance comes from" in lines
    assert [line for line in lines if line.startswith("-")] == ["--- small.toml", "-epsilon = { start = 0.5 } # half"]


def test_what_a_lower_preset_says_is_left_there(coach, small, tmp_path):
    (tmp_path / "above").mkdir()
    file = tmp_path / "above" / "mine.toml"
    file.write_text('coach = 1\nextends = "../small.toml"\n\n[memory]  # more\ncapacity = 70\n')
    before = coachcore.load_preset(file).resolved
    code, out, err = coach("fill", "above/mine.toml")
    assert (code, err) == (0, "")
    assert "[memory]  # more\ncapacity = 70\n" in out
    assert "discount" not in out
    assert "toy-signs" not in out
    assert '[exploration.epsilon]\nuse = "line"\nend = 0.05  # last value\n\n[' in out
    assert 'loss = "huber"' in out
    file.write_text(out)
    assert coachcore.load_preset(file).resolved == before


LAYOUTS = {
    "inline tables": "coach = 1\nenvironment = {use='toy-signs'}\nagent = { use = 'pupil' }\nengine={use='toy-numpy'}\n"
    "exploration.use='chance'\nmemory = { use = 'shelf' }\n",
    "dotted keys": "coach = 1\nenvironment.use='toy-signs'\nagent.use = 'pupil'\nagent.learner.batch_size=8\n"
    "engine.use='toy-numpy'\nexploration = { use = 'chance', epsilon.end = 0.1 }\nmemory.use = 'shelf'\n",
    "tables below tables": "coach = 1\n[environment]\nuse='toy-signs'\n[agent.learner]\nbatch_size = 8\n[agent]\n"
    "use = 'pupil'\n[engine]\nuse='toy-numpy'\n[exploration]\nuse='chance'\n[exploration.epsilon]\n"
    "end=0.2\n[memory]\nuse='shelf'\n[[filters.reward]]\nuse='times'\nfactor=2\n# second\n"
    "[[filters.reward]]\nuse='Times'\nfactor=3.5\n",
    "line breaks of Windows": "coach = 1 # one\r\nenvironment = { use='toy-signs' }\r\nagent={use='pupil'}\r\n"
    "engine={use='toy-numpy'}\r\nexploration={use='chance'}\r\nmemory={use='shelf'}\r\n",
}


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_every_layout_comes_to_the_same(coach, tmp_path, text):
    file = tmp_path / "mine.toml"
    file.write_bytes(text.encode())
    before = coachcore.load_preset(file).resolved
    code, out, _ = coach("fill", "mine.toml")
    assert code == 0
    file.write_text(out)
    assert coachcore.load_preset(file).resolved == before
    assert tomllib.loads(out).keys() >= {"schedule", "checkpoint", "recorders"} - (
        {"recorders"} if not before.get("recorders") else set()
    )


def test_a_layout_that_cannot_be_added_to_is_written_anew(coach, tmp_path, monkeypatch):
    from coach_preset_tools import fill

    monkeypatch.setattr(fill, "filled", lambda *_: None)
    (tmp_path / "toy.toml").write_text(_text(toy_preset()))
    code, out, err = coach("fill", "toy.toml")
    assert (code, err) == (0, "note: this layout cannot be added to, comments and order are not kept\n")
    assert tomllib.loads(out) == coachcore.load_preset("toy.toml").resolved


def _text(document):
    import tomlkit

    return tomlkit.dumps(document)


def test_a_wrong_preset_is_told_as_check_tells_it(coach, small):
    small.write_text(small.read_text().replace("discount = 0.9 ", "discount = 9 "))
    code, out, err = coach("fill", "small.toml")
    assert (code, out) == (2, "")
    assert (
        err
        == coach("check", "small.toml").out
        == "small.toml:9:12: discount: 9 is out of range - must be >= 0 and <= 1\n"
    )
