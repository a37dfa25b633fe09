"""`coach evaluate`: which episodes it plays, what it prints, its films, and what it refuses."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from typing import Any

import attrs
import numpy as np
import pytest

import coachcore
from coachcore.cli.main import invoke
from coachcore.component import component
from coachcore.registry.hookspecs import hookimpl
from coachcore.testing.toy_plugin import ToyPlugin, toy_preset
from coachcore.testing.toys import ToySigns

PERFECT = "mean return 10.0 (std 0.0, min 10.0, max 10.0), mean length 10.0"
RECORDS = find_spec("coach_records") is not None


@pytest.fixture(scope="module", autouse=True)
def toys():
    coachcore.register(ToyPlugin(), "toys")
    yield
    coachcore.unregister("toys")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return coachcore.run(toy_preset(), out=tmp_path_factory.mktemp("runs") / "toy").folder


@pytest.fixture(scope="module")
def untrained(tmp_path_factory):
    """A run that was over before it learned anything: its returns differ from episode to episode."""
    folder = tmp_path_factory.mktemp("runs") / "short"
    return coachcore.run(toy_preset(schedule={"heatup": "10 steps", "train": "11 steps"}), out=folder).folder


@pytest.fixture
def coach(capsys, monkeypatch):
    """`coach evaluate`: its exit code, and the lines of its output and of its errors."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments):
        capsys.readouterr()
        code = invoke(["evaluate", *map(str, arguments)])
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return code, said.out.splitlines(), said.err.splitlines()

    return call


def test_the_best_checkpoint_plays_twenty_episodes(coach, trained):
    assert coach(trained) == (0, [f"best checkpoint, 20 episodes: {PERFECT}"], [])


def test_another_checkpoint_and_fewer_episodes(coach, trained):
    for name in ("latest", "step-000000000400"):
        said = coach(trained, "--checkpoint", name, "--episodes", "3")
        assert said == (0, [f"{name} checkpoint, 3 episodes: {PERFECT}"], [])


def test_json_for_programs(coach, trained):
    code, out, err = coach(trained, "--json", "--episodes", "2")
    summary = {"mean": 10.0, "std": 0.0, "min": 10.0, "max": 10.0, "length": 10.0, "episodes": 2}
    assert (code, err) == (0, [])
    assert json.loads("\n".join(out)) == summary | {"returns": [10.0, 10.0]}


def test_the_seed_picks_the_episodes(coach, untrained):
    def returns(*arguments):
        return json.loads(coach(untrained, "--checkpoint", "latest", "--json", *arguments)[1][0])["returns"]

    assert len(set(returns())) > 1
    assert returns() == returns("--seed", "1")  # the run's own
    assert returns("--seed", "2") == returns("--seed", "2")
    assert returns("--seed", "2") != returns("--seed", "1")
    assert returns("--seed", "2", "--episodes", "5") == returns("--seed", "2")[:5]


def test_the_run_folder_is_left_as_it_was(coach, trained):
    before = {path: path.read_bytes() for path in trained.rglob("*") if path.is_file()}
    coach(trained)
    assert {path: path.read_bytes() for path in trained.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("extra", [[], ["--json"], ["--checkpoint", "latest"]])
def test_a_folder_that_is_not_there(coach, tmp_path, extra):
    nowhere = tmp_path / "nowhere"
    line = f"coach: {nowhere}: it is not a run folder: there is no preset.toml in it"
    assert coach(nowhere, *extra) == (2, [], [line])
    assert not nowhere.exists()


def test_a_checkpoint_that_is_not_there(coach, trained):
    code, out, err = coach(trained, "--checkpoint", "lastest")
    assert (code, out) == (2, [])
    assert err == [
        (
            f"coach: {trained}/checkpoints/lastest.json: no checkpoint is called 'lastest'; "
            "there is best, step-000000000400, step-000000000600"
        )
    ]


def test_a_run_without_checkpoints(coach, trained, tmp_path):
    shutil.copy(trained / "preset.toml", tmp_path)
    code, out, err = coach(tmp_path)
    assert (code, out, len(err)) == (2, [], 1)
    assert "no checkpoint is called 'latest'; there is none yet" in err[0]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "argument 'DIR'"),
        (["x", "y"], "extra argument (y)"),
        (["x", "--episodes", "0"], "0 is not in the range x>=1"),
        (["x", "--seed", "-1"], "-1 is not in the range x>=0"),
        (["x", "--film"], "--film"),
    ],
)
def test_wrong_usage(coach, arguments, text):
    code, out, err = coach(*arguments)
    assert (code, out) == (2, [])
    assert text in err[-1]


def test_help_fits_a_terminal(coach):
    code, out, err = coach("--help")
    assert (code, err) == (0, [])
    assert max(map(len, out)) <= 80
    for option in ("--episodes", "--checkpoint", "--seed", "--video", "--json"):
        assert any(line.strip().startswith(option) for line in out)


@component("recorder", "video")
@attrs.frozen(kw_only=True)
class Film:
    """Keeps the pictures of each episode in memory, by run folder."""

    def open(self, folder, info, mark=None):
        return SHOWN.setdefault(folder, Reel(info))


class Reel:
    """An open film."""

    def __init__(self, info):
        self.info, self.pictures, self.closed = info, {}, 0

    def event(self, event):
        assert event.kind == "frame"
        self.pictures.setdefault(event.data["episode"], []).append(event.data["frame"])

    def mark(self):
        return None

    def close(self):
        self.closed += 1


SHOWN: dict[Any, Reel] = {}


@pytest.fixture
def films():
    """A recorder called `video`, where no plugin brings one."""

    class Plugin:
        @hookimpl
        def coach_recorders(self):
            return (Film,)

    SHOWN.clear()
    coachcore.register(Plugin(), "films")
    yield SHOWN
    coachcore.unregister("films")


@pytest.mark.skipif(RECORDS, reason="coach-records brings the recorder `video`")
def test_films_show_the_first_episodes(coach, trained, films):
    said = coach(trained, "--video", "--episodes", "5")
    assert said == (0, [f"best checkpoint, 5 episodes: {PERFECT}", f"videos: {trained / 'videos'}"], [])
    reel = films[trained]
    assert {episode: len(shown) for episode, shown in reel.pictures.items()} == {0: 10, 1: 10, 2: 10}
    assert reel.pictures[0][0].shape == (4, 4, 3)
    assert reel.pictures[0][0].dtype == np.uint8
    assert (reel.info.preset, reel.closed) == ("toy", 1)


@pytest.mark.skipif(RECORDS, reason="coach-records brings the recorder `video`")
def test_filming_changes_no_episode(coach, untrained, films):
    plain = coach(untrained, "--checkpoint", "latest", "--json", "--episodes", "4")
    assert coach(untrained, "--checkpoint", "latest", "--json", "--episodes", "4", "--video") == plain


@pytest.mark.skipif(RECORDS, reason="coach-records brings the recorder `video`")
def test_a_film_is_closed_when_playing_fails(coach, tmp_path, films):
    assert coach(tmp_path, "--video")[0] == 2
    assert films[tmp_path].closed == 1


@pytest.mark.skipif(RECORDS, reason="coach-records brings the recorder `video`")
def test_without_a_recorder_there_are_no_films(coach, trained):
    code, out, err = coach(trained, "--video")
    assert (code, out, len(err)) == (2, [], 1)
    assert err[0].startswith("coach: no recorder is called 'video' - ")


@component("environment", "toy-unseen")
@attrs.frozen(kw_only=True)
class Unseen:
    """Signs that nobody draws."""

    def make(self, count, *, render=False):
        return ToySigns().make(count)


def test_an_environment_without_pictures(coach, tmp_path, request):
    class Plugin:
        @hookimpl
        def coach_environments(self):
            return (Unseen,)

    if not RECORDS:
        request.getfixturevalue("films")
    coachcore.register(Plugin(), "unseen")
    try:
        folder = coachcore.run(toy_preset(environment={"use": "toy-unseen"}), out=tmp_path / "toy").folder
        code, out, err = coach(folder, "--video")
    finally:
        coachcore.unregister("unseen")
    assert (code, out[1:], err) == (0, ["no videos: the environment shows no pictures"], [])
    assert not (folder / "videos").exists()


@pytest.mark.skipif(not RECORDS, reason="coach-records is not installed")
def test_films_are_files(coach, trained, tmp_path):
    folder = shutil.copytree(trained, tmp_path / "toy")
    said = coach(folder, "--video", "--episodes", "5")
    assert said == (0, [f"best checkpoint, 5 episodes: {PERFECT}", f"videos: {folder / 'videos'}"], [])
    assert sorted(path.name for path in (folder / "videos").iterdir()) == [f"episode-{i}.gif" for i in range(3)]
