"""A run's folder: furnished once, read back, compared."""

from __future__ import annotations

import json

import pytest

import coachcore
from coachcore import folder as folders
from coachcore.errors import BadCheckpoint, CoachError, Mismatch
from coachcore.folder import (
    changes,
    differences,
    frozen,
    furnish,
    lock,
    lock_of,
    new_folder,
    preset_of,
    refuse_another,
)
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
    assert found[0] == "distributions.gone was 9 when the run started, now it is gone"
    assert found[1].startswith("packages.numpy was 1.0 when the run started, now it is ")


def test_no_run_folder(tmp_path):
    for read in (preset_of, lock_of):
        with pytest.raises(BadCheckpoint, match=r"it is not a run folder: there is no preset\.toml in it"):
            read(tmp_path)
    (tmp_path / "preset.toml").touch()
    with pytest.raises(BadCheckpoint, match=r"lock\.json is missing or damaged"):
        lock_of(tmp_path)


def test_differences_by_hand():
    asked, kept = {"a": 1, "b": {"c": [1], "d": 2}}, {"a": 1, "b": {"c": [2]}, "e": 3}
    assert list(differences(asked, kept)) == [("b.c", [1], [2]), ("b.d", 2, None), ("e", None, 3)]


def test_another_preset_is_refused_but_another_summary_is_not(tmp_path):
    refuse_another({"summary": "new", "seed": 1}, {"summary": "old", "seed": 1}, tmp_path)
    with pytest.raises(CoachError, match="this run was started with seed = 1, the preset given has 2"):
        refuse_another({"seed": 2}, {"seed": 1}, tmp_path)


def test_the_lock_holds_every_value_and_the_origin_of_every_part(furnished):
    kept = lock_of(furnished)
    assert kept["preset"] == coachcore.load_preset(toy_preset()).resolved
    assert kept["parts"]["memory"] == "toys/memory:toy-ring"
    assert kept["parts"]["agent.network.heads.q"] == "toys/head:toy-values"
    assert kept["parts"]["recorders[0]"] == "toys/recorder:toy-list"


def test_a_frozen_preset_is_the_runs_own(furnished):
    asked = coachcore.load_preset(toy_preset())
    assert (frozen(furnished).resolved, frozen(furnished).name) == (asked.resolved, asked.name)


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("api",), "0.9", "api was 0.9 when the run started, now it is "),
        (("coachcore",), "9.9", "coachcore was 9.9 when"),
        (
            ("distributions", "gone"),
            {"version": "9", "manifest": ""},
            "distributions.gone was 9 when the run started, now ",
        ),
        (
            ("distributions", "toys", "version"),
            "9",
            "distributions.toys.version was 9 when the run started, now it is unset",
        ),
        (("distributions", "toys", "manifest"), "ab", "distributions.toys.manifest was ab when"),
        (("packages", "numpy"), "1.0", "packages.numpy was 1.0 when the run started, now it is "),
        (("python",), "2.7.18", "python was 2.7.18 when the run started, now it is 3."),
        (("platform",), "Plan9-mips", "platform was Plan9-mips when"),
        (("threads", "OMP_NUM_THREADS"), "64", "threads.OMP_NUM_THREADS was 64 when the run started, now it is "),
        (("threads", "cores"), 4096, "threads.cores was 4096 when the run started, now it is "),
        (("preset", "memory", "capacity"), 7, "preset.memory.capacity was 7 when the run started, now it is "),
        (("preset", "seed"), 4, "preset.seed was 4 when the run started, now it is 1 - "),
        (("preset", "memory", "old"), True, "preset.memory.old was True when the run started, now it is gone"),
        (
            ("parts", "memory"),
            "other/memory:toy-ring",
            "parts.memory was other/memory:toy-ring when the run started, now",
        ),
    ],
)
def test_the_first_difference_is_named(furnished, path, value, told):
    kept = lock_of(furnished)
    table = kept
    for key in path[:-1]:
        table = table[key]
    table[path[-1]] = value
    (furnished / "lock.json").write_text(json.dumps(kept))
    with pytest.raises(Mismatch) as caught:
        frozen(furnished)
    assert caught.value.message.startswith(f"the run cannot be reproduced: {told}")
    assert caught.value.message.endswith(f"start another run: coach run {furnished}/preset.toml")


def test_an_edited_preset_is_no_longer_the_run(furnished):
    file = furnished / "preset.toml"
    text = file.read_text()
    assert "batch_size = 16" in text
    file.write_text(text.replace("batch_size = 16", "batch_size = 32"))
    with pytest.raises(Mismatch, match=r"preset\.agent\.learner\.batch_size was 16 when the run started, now it is 32"):
        frozen(furnished)


def test_a_distribution_that_is_gone_is_named_before_the_names_that_went_with_it(furnished):
    coachcore.unregister("toys")
    try:
        with pytest.raises(Mismatch, match=r"distributions\.toys was there when the run started, now it is gone"):
            frozen(furnished)
    finally:
        coachcore.register(ToyPlugin(), "toys")


def test_nothing_to_reproduce(tmp_path):
    with pytest.raises(BadCheckpoint, match=r"it is not a run folder: there is no preset\.toml in it"):
        frozen(tmp_path)
