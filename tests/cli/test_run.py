"""`coach run`: what it prints, what it leaves behind, how it is stopped, and what it refuses."""

from __future__ import annotations

import json
import os
import signal

import attrs
import pytest

import coachcore
from coachcore.cli.main import invoke
from coachcore.component import component
from coachcore.presets.writer import dump
from coachcore.registry.hookspecs import hookimpl
from coachcore.running.checkpoint import Checkpoints
from coachcore.testing.laws import differing
from coachcore.testing.toy_plugin import ToyPlugin, toy_preset
from coachcore.testing.toys import ToyRing

FINISHED = "finished after 600 steps, 60 episodes, 550 updates, best evaluation 10.0"
SHORT = {"schedule": {"heatup": "10 steps", "train": "20 steps"}}


@pytest.fixture(scope="module", autouse=True)
def toys():
    coachcore.register(ToyPlugin(), "toys")
    yield
    coachcore.unregister("toys")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder with a preset of toys, `toy.toml`, and one that is soon over, `short.toml`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name, tables in {"toy": {}, "short": SHORT}.items():
        (tmp_path / f"{name}.toml").write_text(dump(toy_preset(**tables)))
    return tmp_path


@pytest.fixture
def coach(capsys):
    """`coach run`: its exit code, and the lines of its output and of its errors."""

    def call(*arguments):
        capsys.readouterr()
        code = invoke(["run", *map(str, arguments)])
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return code, said.out.splitlines(), said.err.splitlines()

    return call


@pytest.fixture
def listen():
    """Has a function hear the events of every run, until the test is over."""
    names = []

    def to(function):
        class Listener:
            @hookimpl
            def coach_event(self, event):
                function(event)

        names.append(f"listener-{len(names)}")
        coachcore.register(Listener(), names[-1])
        return names[-1]

    yield to
    for name in names:
        coachcore.unregister(name)


def kept(folder):
    return coachcore.load_preset(folder / "preset.toml").resolved


def final(folder):
    return Checkpoints(folder / "checkpoints").load()["machine"]


def test_a_run_to_its_end(coach, here):
    assert coach("toy.toml", "--out", "mine") == (0, [FINISHED, "run folder: mine"], [])
    assert {path.name for path in (here / "mine").iterdir()} >= {"preset.toml", "lock.json", "checkpoints"}
    assert kept(here / "mine") == coachcore.load_preset(toy_preset()).resolved


def test_it_is_what_a_script_gets(coach, here):
    coach("toy.toml", "--out", "typed")
    coachcore.run(toy_preset(), out=here / "written")
    assert differing(final(here / "typed"), final(here / "written")) == []


def test_without_an_evaluation_there_is_no_best(coach):
    code, out, _ = coach("short.toml", "--out", "mine")
    assert (code, out[0]) == (0, "finished after 20 steps, 2 episodes, 10 updates")


def test_a_target_ends_it(coach):
    code, out, _ = coach("toy.toml", "--set", "schedule.target=10", "--out", "mine")
    assert code == 0
    assert out[0].startswith("target reached after ")
    assert out[0].endswith(", best evaluation 10.0")


def test_the_folder_is_named_after_preset_time_and_seed(coach, here):
    code, out, _ = coach("short.toml", "--seed", "7")
    (folder,) = (here / "runs").iterdir()
    assert (code, out[1]) == (0, f"run folder: {folder.relative_to(here)}")
    name, day, time, seed = folder.name.split("-")
    assert (name, len(day), len(time), seed) == ("short", 8, 6, "7")


def test_the_seed_given_counts_more_than_the_presets(coach, here):
    coach("toy.toml", "--seed", "3", "--out", "three")
    coach("toy.toml", "--set", "seed=3", "--out", "set")
    coach("toy.toml", "--out", "one")
    assert kept(here / "three")["seed"] == json.loads((here / "three" / "lock.json").read_text())["seed"] == 3
    assert kept(here / "one")["seed"] == 1
    assert differing(final(here / "three"), final(here / "set")) == []
    assert differing(final(here / "three"), final(here / "one"))


def test_files_and_settings_are_laid_over_the_preset(coach, here):
    (here / "one.toml").write_text("[memory]\ncapacity = 70\n[agent]\nn_step = 2\n")
    (here / "two.toml").write_text("[memory]\ncapacity = 80\n")
    layers = [
        "--with",
        "one.toml",
        "--with",
        "two.toml",
        "--set",
        "agent.discount=0.5",
        "--set",
        "checkpoint.keep_last=1",
    ]
    assert coach("short.toml", *layers, "--out", "mine")[0] == 0
    document = kept(here / "mine")
    assert document["memory"]["capacity"] == 80
    assert (document["agent"]["n_step"], document["agent"]["discount"]) == (2, 0.5)
    assert document["checkpoint"]["keep_last"] == 1


def test_the_networks_are_shown_and_nothing_is_trained(coach, here):
    assert coach("toy.toml", "--print-network") == (0, ["main: 3 features -> q [2], 8 weights"], [])
    assert not (here / "runs").exists()


def test_the_networks_of_no_preset(coach):
    code, out, err = coach("--resume", "mine", "--print-network")
    assert (code, out) == (2, [])
    assert err[-1] == "Error: --print-network shows the networks of a PRESET: name one"


def test_what_a_change_of_parts_drops_is_noted(coach, here):
    @component("memory", "toy-tiny", orders=["any"], fresh=False, weighted=False)
    @attrs.frozen(kw_only=True)
    class Tiny:
        """The last five transitions."""

        def make(self, layout, count, sequence=1):
            return ToyRing(capacity=5).make(layout, count, sequence)

    class Plugin:
        @hookimpl
        def coach_memories(self):
            return (Tiny,)

    (here / "ring.toml").write_text(dump(toy_preset(**SHORT, memory={"use": "toy-ring", "capacity": 70})))
    coachcore.register(Plugin(), "tiny")
    try:
        code, out, err = coach("ring.toml", "--set", "memory.use=toy-tiny", "--out", "mine")
    finally:
        coachcore.unregister("tiny")
    assert (code, len(out)) == (0, 2)
    assert err == ["note: memory.use: toy-ring -> toy-tiny drops capacity"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("name", ["mine", "my runs"])
def test_interrupted_it_says_how_to_go_on(coach, here, listen, number, name):
    coach("toy.toml", "--out", "whole")
    asked = []

    def interrupt(event):
        if event.step == 310 and not asked:
            asked.append(event)
            os.kill(os.getpid(), number)

    listen(interrupt)
    code, out, err = coach("toy.toml", "--out", name)
    quoted = f"'{name}'" if " " in name else name
    assert (code, err) == (130, [])
    assert out == [
        "interrupted after 310 steps, 31 episodes, 260 updates, best evaluation 10.0",
        f"saved; go on with: coach run --resume {quoted}",
    ]
    assert coach("--resume", name) == (0, [FINISHED, f"run folder: {name}"], [])
    assert differing(final(here / name), final(here / "whole")) == []


def test_interrupted_twice_it_stops_at_once_and_can_still_go_on(coach, here, listen):
    asked = []

    def interrupt(event):
        if event.step == 310 and not asked:
            asked.append(event)
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    listen(interrupt)
    assert coach("toy.toml", "--out", "mine") == (130, [], ["coach: stopped"])
    assert coach("--resume", "mine") == (0, [FINISHED, "run folder: mine"], [])


def test_a_finished_run_resumed_is_finished(coach):
    coach("toy.toml", "--out", "mine")
    assert coach("--resume", "mine") == (0, [FINISHED, "run folder: mine"], [])


def test_resuming_under_the_preset_it_was_started_with(coach):
    coach("toy.toml", "--seed", "3", "--out", "mine")
    assert coach("toy.toml", "--seed", "3", "--resume", "mine")[:2] == (0, [FINISHED, "run folder: mine"])
    assert coach("toy.toml", "--resume", "mine") == (
        2,
        [],
        [
            (
                "coach: mine: this run was started with seed = 3, the preset given has 1 - "
                "resume without naming a preset, or start a new run"
            )
        ],
    )


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "name a PRESET, or a run to --resume; `coach presets` lists what is installed"),
        (["--out", "x"], "name a PRESET, or a run to --resume; `coach presets` lists what is installed"),
        (
            ["--resume", "x", "--out", "y"],
            "--out and --resume exclude each other: a resumed run goes on in its own folder",
        ),
        (["--resume", "x", "--set", "seed=1"], "a resumed run keeps its settings: drop --set, --with and --seed, or"),
        (
            ["--resume", "x", "--with", "toy.toml"],
            "a resumed run keeps its settings: drop --set, --with and --seed, or",
        ),
        (["--frozen", "x", "toy.toml"], "a frozen run takes all from its folder: give --out and nothing else beside"),
        (
            ["--frozen", "x", "--seed", "0"],
            "a frozen run takes all from its folder: give --out and nothing else beside",
        ),
        (["--frozen", "x", "--set", "seed=1"], "a frozen run takes all from its folder: give --out and nothing else"),
        (["--frozen", "x", "--resume", "y"], "a frozen run takes all from its folder: give --out and nothing else"),
        (["--frozen", "x", "--print-network"], "--print-network shows the networks of a PRESET: name one"),
        (["--resume", "x", "--seed", "0"], "a resumed run keeps its settings: drop --set, --with and --seed, or"),
        (["toy.toml", "--seed", "-1"], "Invalid value for '--seed': -1 is not in the range x>=0."),
        (["toy.toml", "--seed", "one"], "Invalid value for '--seed': 'one' is not a valid"),
        (["toy.toml", "short.toml"], "extra argument (short.toml)"),
        (["toy.toml", "--sed", "1"], "--seed"),
        (["toy.toml", "--out"], "'--out' requires an argument"),
    ],
)
def test_wrong_usage(coach, here, arguments, text):
    code, out, err = coach(*arguments)
    assert (code, out) == (2, [])
    assert [line for line in err if text in line] == err[-1:]
    assert not (here / "x").exists()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["toi.toml"], "toi.toml: there is no file 'toi.toml' - did you mean 'toy.toml'? known: "),
        (
            ["toy.toml", "--with", "no.toml"],
            "no.toml: there is no file 'no.toml' - did you mean 'toy.toml'? known: ",
        ),
        (["."], ".: this is a folder - name the .toml file in it"),
        (
            ["toy.toml", "--set", "seed"],
            "--set seed (column 5): expected '=' and a value, such as memory.capacity=10_000",
        ),
        (
            ["toy.toml", "--set", "memory.capacty=9"],
            (
                "--set memory.capacty=9 (column 8): memory 'toy-ring' has no setting 'capacty' - "
                "did you mean 'capacity'? known: capacity"
            ),
        ),
        (
            ["toy.toml", "--set", "environment.actions=box"],
            "coach: toy-q chooses among discrete actions, this environment's are",
        ),
        (["--resume", "short.toml"], "coach: short.toml: "),
        (["--resume", "nowhere"], "coach: nowhere: "),
    ],
)
def test_what_cannot_be_run_is_said_in_one_line(coach, here, arguments, line):
    code, out, err = coach(*arguments, *([] if "--resume" in arguments else ["--out", "mine"]))
    assert (code, out, len(err)) == (2, [], 1)
    assert err[0].startswith(line)
    assert not (here / "mine").exists()
    assert not (here / "nowhere").exists()


def test_all_that_is_wrong_with_a_preset_at_once(coach):
    code, out, err = coach("toy.toml", "--set", "memory.capacity=0", "--set", "agent.discount=2")
    assert (code, out, len(err)) == (2, [], 2)


def test_a_folder_holds_one_run(coach):
    coach("short.toml", "--out", "mine")
    assert coach("short.toml", "--out", "mine") == (
        2,
        [],
        ["coach: mine: it already holds a run - continue it with --resume, or give --out another folder"],
    )


def test_a_folder_that_is_a_file(coach, here):
    (here / "note").write_text("to self")
    code, out, err = coach("short.toml", "--out", "note")
    assert (code, out, len(err)) == (2, [], 1)
    assert "note" in err[0]
    assert (here / "note").read_text() == "to self"


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ("environment.nan_at=3", "toy-signs, environment 0: the reward is nan after step 2 - mend the environment"),
        ("environment.crash_at=3", "RuntimeError: toy environment 0 crashes at step 3, as it was asked to"),
    ],
)
def test_an_environment_that_fails(coach, setting, text):
    code, out, err = coach("toy.toml", "--set", setting, "--out", "mine")
    assert (code, out, len(err)) == (2, [], 1)
    assert text in err[0]


def test_the_traceback_of_a_part_is_there_for_its_author(coach, monkeypatch):
    monkeypatch.setenv("COACH_TRACEBACK", "1")
    with pytest.raises(RuntimeError, match="toy environment 0 crashes at step 3"):
        coach("toy.toml", "--set", "environment.crash_at=3", "--out", "mine")


def test_what_is_installed_otherwise_is_noted_when_a_run_goes_on(coach, here):
    coach("short.toml", "--out", "mine")
    lock = json.loads((here / "mine" / "lock.json").read_text())
    lock["packages"]["numpy"] = "1.0"
    (here / "mine" / "lock.json").write_text(json.dumps(lock))
    code, out, (note,) = coach("--resume", "mine")
    assert (code, out[1]) == (0, "run folder: mine")
    assert note.startswith("note: packages.numpy was 1.0 when the run started, now it is ")
    assert note.endswith("; the run may not continue bit for bit")


def test_help_fits_a_terminal_and_keeps_the_examples_apart(coach):
    code, out, err = coach("--help")
    assert (code, err) == (0, [])
    assert max(map(len, out)) <= 80
    assert "    coach run cartpole-dqn" in out
    for option in ("--set PATH=VALUE", "--with FILE", "--seed INTEGER", "--resume DIR", "--out DIR"):
        assert any(line.strip().startswith(option) for line in out)


def test_a_frozen_run_is_the_same_again(coach, here, listen):
    heard = []
    listen(heard.append)
    coach("toy.toml", "--seed", "5", "--set", "agent.discount=0.9", "--out", "one")
    first = list(heard)
    heard.clear()
    assert coach("--frozen", "one", "--out", "two") == (0, [FINISHED.replace("10.0", "10.0"), "run folder: two"], [])
    assert len(first) > 60
    assert heard == first
    assert differing(final(here / "one"), final(here / "two")) == []
    for file in ("preset.toml", "lock.json"):
        assert (here / "one" / file).read_bytes() == (here / "two" / file).read_bytes()


def test_a_frozen_run_has_its_own_folder_named_as_the_first(coach, here):
    coach("short.toml", "--out", "one")
    code, out, _ = coach("--frozen", "one")
    (folder,) = (here / "runs").iterdir()
    assert (code, out[-1]) == (0, f"run folder: {folder.relative_to(here)}")
    assert folder.name.startswith("short-")
    assert coach("--frozen", "one", "--out", "one")[2] == [
        "coach: one: it already holds a run - continue it with --resume, or give --out another folder"
    ]


def test_a_run_that_cannot_be_the_same_is_refused(coach, here):
    coach("short.toml", "--out", "one")
    (here / "one" / "preset.toml").write_text(
        (here / "one" / "preset.toml").read_text().replace('train = "20 steps"', 'train = "30 steps"')
    )
    assert coach("--frozen", "one", "--out", "two") == (
        2,
        [],
        [
            (
                "coach: one: the run cannot be reproduced: preset.schedule.train was 20 steps when the run started, "
                "now it is 30 steps - put that back as it was, or start another run: coach run one/preset.toml"
            ),
        ],
    )
    assert not (here / "two").exists()
    assert coach("--frozen", "nowhere")[2] == ["coach: nowhere: it is not a run folder: there is no preset.toml in it"]
