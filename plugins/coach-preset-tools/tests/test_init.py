"""`coach init`: what it writes is small, sound and explained."""

from __future__ import annotations

import tomllib

import pytest

import coachcore
from coach_preset_tools import init as commands
from coachcore.api import ParamSpec, hookimpl


def chosen(text):
    document = tomllib.loads(text)
    return {kind: document[kind]["use"] for kind in ("environment", "agent", "exploration", "memory")}


def test_it_is_sound_and_explained(coach):
    code, out, err = coach("init", "--agent", "pupil")
    assert (code, err) == (0, "")
    assert chosen(out) == {"environment": "toy-signs", "agent": "pupil", "exploration": "chance", "memory": "shelf"}
    assert coachcore.load_preset(tomllib.loads(out)).resolved["engine"]["use"] == "toy-numpy"
    lines = out.splitlines()
    assert 'use = "shelf"  # Everything, side by side.' in lines
    assert 'summary = "pupil on toy-signs"' in lines
    assert any(line.startswith('train = "50_000 steps"') and "length of the whole run" in line for line in lines)
    assert len(lines) < 40


def test_a_file(coach, tmp_path):
    assert coach("init", "--agent", "pupil", "mine.toml") == (
        0,
        "mine.toml: written; next: coach check mine.toml, coach run mine.toml\n",
        "",
    )
    assert (tmp_path / "mine.toml").read_text() == coach("init", "--agent", "pupil").out
    assert coach("check", "mine.toml").code == 0


def test_a_file_that_is_there_is_left_alone(coach, small):
    before = small.read_text()
    code, _, err = coach("init", "--agent", "pupil", "small.toml")
    assert (code, err) == (2, "coach: small.toml: there is a file already - give another name\n")
    assert small.read_text() == before


def test_a_folder_that_is_not_there(coach):
    code, _, err = coach("init", "--agent", "pupil", "no/mine.toml")
    assert (code, err) == (2, "coach: no/mine.toml: cannot be written: No such file or directory\n")


def test_what_is_chosen_is_taken(coach):
    out = coach("init", "--agent", "PupilAgent", "--memory", "toy-ring", "--exploration", "toy-e-greedy").out
    assert chosen(out) == {
        "environment": "toy-signs",
        "agent": "PupilAgent",
        "exploration": "toy-e-greedy",
        "memory": "toy-ring",
    }
    assert 'use = "PupilAgent"  # Learns what it is told.' in out


def test_more_is_set(coach):
    out = coach("init", "--agent", "pupil", "--set", "seed=3", "--set", "agent.discount=0.5").out
    assert tomllib.loads(out)["seed"] == 3
    assert "discount = 0.5  # what a reward is worth one step later" in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--agent", "pupl"], "no agent is called 'pupl' - did you mean 'pupil'?"),
        (["--agent", "pupil", "--exploration", "around"], "around"),
        (["--agent", "pupil", "--set", "memory.size=3"], "memory 'shelf' has no setting 'size'"),
    ],
)
def test_what_does_not_go_together_is_told(coach, arguments, told):
    code, out, err = coach("init", *arguments)
    assert (code, out) == (2, "")
    assert told in err


def test_it_does_as_installed_presets_do(coach, registry, tmp_path):
    folder = tmp_path / "shelf"
    folder.mkdir()
    for name, memory in {"a": "toy-ring", "b": "toy-ring", "c": "shelf"}.items():
        (folder / f"{name}.toml").write_text(
            f'coach = 1\n[agent]\nuse = "pupil"\n[memory]\nuse = "{memory}"\n[environment]\nuse = "toy-signs"\n'
        )
    (folder / "broken.toml").write_text("coach = ")

    class Presets:
        @hookimpl
        def coach_presets(self):
            return (folder,)

    registry.register(Presets(), "presets")
    assert chosen(coach("init", "--agent", "pupil").out)["memory"] == "toy-ring"


def test_a_setting_without_default_is_as_most_presets_have_it():
    spec = ParamSpec("factor", "float", required=True)
    assert commands._usual(spec, [{"factor": 2.0}, {}, {"factor": 3.0}, {"factor": 3.0}]) == 3.0
    assert commands._usual(spec, [{"factor": 2.0}, {"factor": 3.0}]) == 2.0
    assert commands._usual(spec, []) == 1.0
    assert commands._usual(ParamSpec("part", "head", required=True), []) == {"use": "..."}


def test_nothing_is_installed(coach, registry):
    registry.unregister("parts")
    registry.unregister("toys")
    assert coach("init").err == "coach: no agent is installed - `coach list-plugins --kind agent`\n"


def test_names_are_completed(registry):
    import click

    option = next(param for param in commands.init.params if param.name == "memory")
    items = option.shell_complete(click.Context(commands.init), "sh")
    assert [(item.value, item.help) for item in items] == [("shelf", "Everything, side by side.")]
