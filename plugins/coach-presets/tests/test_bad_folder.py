"""Run folders that are damaged, of another preset, in use or no run at all."""

from __future__ import annotations

import json

import pytest

from coachcore.running.checkpoint import Checkpoints
from coachcore.running.session import exclusive

LAST = "step-000000003000"
EARLIER = "step-000000002500"


def parts_of(folder, *names):
    """The files that only the checkpoints `names` need."""
    manifests = {path.stem: json.loads(path.read_bytes())["parts"] for path in (folder / "checkpoints").glob("*.json")}
    others = {part for name, parts in manifests.items() if name not in names for part in parts}
    mine = {part for name in names for part in manifests[name]}
    return [folder / "checkpoints" / "parts" / f"{part}.npy" for part in sorted(mine - others)]


def cut(path):
    path.write_bytes(path.read_bytes()[:-3])


def altered(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def gone(path):
    path.unlink()


def a_part(folder):
    return parts_of(folder, LAST)[0]


def manifest(folder):
    return folder / "checkpoints" / f"{LAST}.json"


def pointer(folder):
    return folder / "checkpoints" / "latest"


@pytest.mark.parametrize("damage", [cut, altered, gone])
@pytest.mark.parametrize("what", [a_part, manifest, pointer])
def test_a_damaged_checkpoint_is_refused_and_the_earlier_one_still_plays(runs, coach, what, damage):
    folder = runs.copy(runs.finished)
    damage(what(folder))
    before = runs.files(folder)
    if (what, damage) == (pointer, altered):
        pointer(folder).write_bytes(b"\xff" + pointer(folder).read_bytes())
        before = runs.files(folder)
    coach("run", "--resume", str(folder)).refusal("coach: ", str(what(folder).parent))
    coach("evaluate", str(folder), "--checkpoint", "latest", "--episodes", "1").refusal("coach: ", str(folder))
    assert runs.files(folder) == before
    assert Checkpoints(folder / "checkpoints").load(EARLIER)["machine"]["clock"]["steps"] == 2500
    played = coach("evaluate", str(folder), "--checkpoint", EARLIER, "--episodes", "1")
    assert played.fine().startswith(f"{EARLIER} checkpoint, 1 episodes: mean return")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{}", ["sha256 is not what 'latest' says"]),
        ('{"format": 99, "state": {}, "parts": {}}', ["sha256 is not what 'latest' says"]),
    ],
)
def test_a_manifest_written_over(runs, coach, content, words):
    folder = runs.copy(runs.finished)
    manifest(folder).write_text(content)
    coach("run", "--resume", str(folder)).refusal(str(manifest(folder)), *words)


def test_a_checkpoint_that_is_not_there(runs, coach):
    said = coach("evaluate", str(runs.finished), "--checkpoint", "step-7")
    said.refusal("no checkpoint is called 'step-7'", EARLIER, LAST)


def test_a_checkpoints_folder_that_is_gone(runs, coach):
    folder = runs.copy(runs.finished)
    (folder / "checkpoints").rename(folder / "elsewhere")
    coach("evaluate", str(folder)).refusal(str(folder), "there is none yet")
    assert (folder / "events.jsonl").read_bytes() == (runs.finished / "events.jsonl").read_bytes()


@pytest.mark.parametrize("name", ["preset.toml", "lock.json", "events.jsonl"])
def test_a_file_of_the_run_that_is_missing(runs, coach, name):
    folder = runs.copy(runs.finished)
    (folder / name).unlink()
    coach("run", "--resume", str(folder)).refusal(str(folder), name)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("preset.toml", "coach = [", ["preset.toml:1:", "not TOML"]),
        ("preset.toml", "", ["preset.toml:1:1", "the preset is empty"]),
        ("lock.json", "{", ["lock.json is missing or damaged"]),
        ("lock.json", "[]", ["lock.json is missing or damaged"]),
        ("events.jsonl", "{", ["events.jsonl", "it was cut or replaced since the checkpoint"]),
    ],
)
def test_a_file_of_the_run_that_is_damaged(runs, coach, name, content, words):
    folder = runs.copy(runs.finished)
    (folder / name).write_text(content)
    coach("run", "--resume", str(folder)).refusal(str(folder), *words)
    assert (folder / name).read_text() == content


def test_a_folder_that_is_no_run(runs, coach, tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        coach("run", "--resume", str(folder)).refusal(f"{folder}: it is not a run folder", "preset.toml")
        coach("evaluate", str(folder)).refusal(f"{folder}: it is not a run folder", "preset.toml")
    assert not (tmp_path / "nowhere").exists()


def test_resuming_with_another_preset(runs, coach):
    folder = runs.copy(runs.finished)
    before = runs.files(folder)
    said = coach("run", "cartpole-dqn-per", "--resume", str(folder), *runs.shortly())
    said.refusal(
        f"{folder}: this run was started with memory.use", "'experience-replay'", "resume without naming a preset"
    )
    assert runs.files(folder) == before


def test_resuming_with_the_same_preset_is_fine(runs, coach):
    folder = runs.copy(runs.finished)
    assert "finished after 3000 steps" in coach("run", "cartpole-dqn", "--resume", str(folder), *runs.shortly()).fine()
    assert runs.events(folder) == runs.events(runs.finished)


@pytest.mark.parametrize("option", [["--set", "memory.capacity=5"], ["--seed", "3"], ["--with", "more.toml"]])
def test_resuming_with_changes(runs, coach, option):
    folder = runs.copy(runs.finished)
    said = coach("run", "--resume", str(folder), *option)
    assert said.code == 2
    assert said.err.splitlines()[-1] == (
        "Error: a resumed run keeps its settings: drop --set, --with and --seed, or start a new run"
    )


def test_a_folder_is_not_used_twice(runs, coach):
    folder = runs.copy(runs.finished)
    before = runs.files(folder)
    coach(*runs.arguments(folder)).refusal(f"{folder}: it already holds a run", "--resume", "--out")
    assert runs.files(folder) == before


def test_a_folder_in_use_is_left_alone(runs, coach):
    folder = runs.copy(runs.finished)
    before = runs.files(folder)
    with exclusive(folder):
        coach("run", "--resume", str(folder)).refusal(f"{folder}: another run is writing here", "--out")
        coach(*runs.arguments(folder)).refusal(str(folder))
    assert runs.files(folder) == before


@pytest.mark.parametrize("below", ["", "run"])
def test_a_file_where_the_folder_should_be(runs, coach, tmp_path, below):
    (tmp_path / "taken").write_text("mine")
    coach(*runs.arguments(tmp_path / "taken" / below)).refusal(str(tmp_path / "taken"))
    assert (tmp_path / "taken").read_text() == "mine"
