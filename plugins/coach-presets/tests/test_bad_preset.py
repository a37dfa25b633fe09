"""What is wrong with a preset is said in one line each, with where, what and what would work; nothing is written."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ('agent.use="dqm"', ["column", "no agent is called 'dqm'", "did you mean 'dqn'?"]),
        ('memory.use="experience-reply"', ["no memory is called", "did you mean 'experience-replay'?"]),
        ("memory.capcity=5", ["no setting 'capcity'", "did you mean 'capacity'?"]),
        ("agent.learner.batchsize=5", ["'batchsize'", "did you mean 'batch_size'?"]),
        ('schedule.train="5 minutes"', ["'minutes'", "steps, episodes, updates, seconds"]),
        ('checkpoint.every="often"', ['"often"', '"10_000 steps"']),
        ("memory.capacity=2.5", ["capacity: expected a whole number or text", "2.5"]),
        ("memory.capacity=0", ["capacity", "0"]),
        ("agent.discount=1.5", ["discount", "1.5"]),
        ("agent.learner.batch_size=2.5", ["batch_size", "expected a whole number", "2.5"]),
        ("environment.count=0", ["count", "0"]),
        ("environment.id=7", ["id", "7"]),
        ('agent.loss="cubic"', ["loss", "cubic", "mse"]),
        ("agent.learner.learning_rate=-1", ["learning_rate", "-1"]),
        ("[", ["["]),
    ],
)
def test_a_bad_setting(coach, tmp_path, setting, words):
    ran = coach("run", "cartpole-dqn", "--out", str(tmp_path / "never"), "--set", setting)
    line = ran.refusal("--set", *words)
    checked = coach("check", "cartpole-dqn", "--set", setting)
    assert (checked.code, checked.out.strip(), checked.err) == (2, line, "")
    assert not (tmp_path / "never").exists()


def test_a_size_that_is_none_is_refused_where_it_was_written(coach, tmp_path):
    said = coach("run", "cartpole-dqn", "--out", str(tmp_path / "never"), "--set", 'memory.capacity="many"')
    said.refusal("--set", "memory.capacity: 'many' is no size", 'bytes such as "2 GB"')
    assert not (tmp_path / "never").exists()


def test_a_schedule_out_of_range_is_refused_where_it_was_written(coach, tmp_path):
    said = coach("run", "cartpole-dqn", "--out", str(tmp_path / "never"), "--set", "exploration.epsilon=7")
    said.refusal("epsilon", "7")


def test_all_errors_come_at_once(coach):
    wrong = ("memory.capcity=5", 'schedule.train="5 minutes"', 'agent.use="dqm"')
    said = coach("run", "cartpole-dqn", *(part for setting in wrong for part in ("--set", setting)))
    assert said.code == 2
    assert [line.partition(" (")[0] for line in said.err.splitlines()] == [f"--set {setting}" for setting in wrong]


def test_an_unknown_preset(coach):
    coach("run", "cartpole-dqm").refusal("there is no preset 'cartpole-dqm'", "did you mean 'cartpole-dqn'?")
    coach("run", "nowhere/cartpole.toml").refusal("nowhere/cartpole.toml", "there is no file")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", [":1:1: ", "the preset is empty", "coach = 1"]),
        (b"coach = 1\nnot [ toml", [":2:5: ", "not TOML"]),
        (b"\xff\xfe\x00", [":1:1: ", "not UTF-8", "save the file as UTF-8"]),
        (b"\x00\x01\x02", [":1:1: ", "not TOML"]),
    ],
    ids=["empty", "not TOML", "not UTF-8", "binary"],
)
@pytest.mark.parametrize("command", ["run", "check"])
def test_a_file_that_is_no_preset(coach, tmp_path, command, content, words):
    path = tmp_path / "mine.toml"
    path.write_bytes(content)
    said = coach(command, str(path))
    told = said.err if command == "run" else said.out
    assert said.code == 2
    assert len(told.splitlines()) == 1
    assert all(word in told for word in (str(path), *words)), told


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_folder_is_no_preset(coach, tmp_path, command):
    said = coach(command, str(tmp_path))
    assert said.code == 2
    assert (said.err + said.out).splitlines() == [f"{tmp_path}: this is a folder - name the .toml file in it"]


def test_a_layer_that_is_missing(coach, tmp_path):
    coach("run", "cartpole-dqn", "--with", str(tmp_path / "more.toml")).refusal("more.toml", "there is no file")
