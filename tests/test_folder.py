"""A run's folder: furnished once, read back, compared."""

from __future__ import annotations

import json

import pytest

import coachcore
from coachcore import folder as folders
from coachcore.errors import BadCheckpoint, CoachError
from coachcore.folder import changes, differences, furnish, lock, lock_of, new_folder, preset_of, refuse_another
from coachcore.testing.toy_plugin import ToyPlugin, toy_preset


@pytest.fixture(autouse=True)
def toys():
    coachcore.register(ToyPlugin(), "toys")
    yield
    coachcore.unregister("toys")


@pytest.fixture
def furnished(tmp_path):
    furnish(tmp_path, coachcore.load_preset(toy_preset()))
    return tmp_path


def test_new_folders_are_named_by_preset_time_and_seed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one = new_folder("pole", 3)
    assert one.parts[0] == "runs"
    assert one.name.startswith("pole-")
    assert one.name.endswith("-3")


def test_taken_folders_are_numbered(tmp_path, monkeypatch):
    class Stopped(folders.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 1, 2, 3, 4, 5, tzinfo=tz)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(folders, "datetime", Stopped)
    names = []
    for _ in range(3):
        made = new_folder("pole", 0)
        made.mkdir(parents=True)
        names.append(made.name)
    assert names == ["pole-20260102-030405-0", "pole-20260102-030405-0-2", "pole-20260102-030405-0-3"]


def test_what_is_furnished_is_read_back(furnished):
    assert preset_of(furnished).resolved == coachcore.load_preset(toy_preset()).resolved
    assert lock_of(furnished) == lock(coachcore.load_preset(toy_preset()))
    assert "numpy" in lock_of(furnished)["packages"]
    assert changes(furnished) == []


def test_a_folder_holds_one_run(furnished):
    with pytest.raises(CoachError, match="it already holds a run"):
        furnish(furnished, coachcore.load_preset(toy_preset()))


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "lock.json").mkdir()
    with pytest.raises(CoachError, match="cannot start a run here: Is a directory"):
        furnish(tmp_path, coachcore.load_preset(toy_preset()))
    assert not (tmp_path / "preset.toml").exists()


def test_changes_since_the_run_started_are_named(furnished):
    kept = lock_of(furnished)
    kept["packages"]["numpy"] = "1.0"
    kept["distributions"]["gone"] = {"version": "9"}
    (furnished / "lock.json").write_text(json.dumps(kept))
    found = changes(furnished)
    assert len(found) == 2
    assert found[0] == "distributions.gone was {'version': '9'} when the run started, now it is gone"
    assert found[1].startswith("packages.numpy was 1.0 when the run started, now it is ")


def test_no_run_folder(tmp_path):
    with pytest.raises(BadCheckpoint, match=r"it is not a run folder: there is no preset\.toml in it"):
        preset_of(tmp_path)
    with pytest.raises(BadCheckpoint, match=r"lock\.json is missing or damaged"):
        lock_of(tmp_path)


def test_differences_by_hand():
    asked, kept = {"a": 1, "b": {"c": [1], "d": 2}}, {"a": 1, "b": {"c": [2]}, "e": 3}
    assert list(differences(asked, kept)) == [("b.c", [1], [2]), ("b.d", 2, None), ("e", None, 3)]


def test_another_preset_is_refused_but_another_summary_is_not(tmp_path):
    refuse_another({"summary": "new", "seed": 1}, {"summary": "old", "seed": 1}, tmp_path)
    with pytest.raises(CoachError, match="this run was started with seed = 1, the preset given has 2"):
        refuse_another({"seed": 2}, {"seed": 1}, tmp_path)
