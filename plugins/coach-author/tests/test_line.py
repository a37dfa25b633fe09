"""The commands as they are typed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from coach_author import line
from coach_author.commands import coach_commands
from coach_author.create import KINDS
from coachcore.testing.leaks import nothing_left_behind
from coachcore.testing.made_up import FILTER

PLUS = FILTER.format(name="plus", alias="PlusFilter", cls="Plus")


def coach(*arguments, cwd):
    environment = os.environ | {"COLUMNS": "80"}
    command = [sys.executable, "-m", "coachcore", "plugin", *arguments]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_from_nothing_to_a_sound_and_tested_distribution(tmp_path):
    code, out, err = coach("new", "acme-wave", "--kind", "schedule", cwd=tmp_path)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "wrote acme-wave with schedule 'acme-wave'; next:"
    assert coach("validate", "acme-wave", cwd=tmp_path) == (0, "acme-wave: sound\n", "")
    assert coach("validate", cwd=tmp_path / "acme-wave") == (0, "acme-wave: sound\n", "")
    code, out, _ = coach("test", "acme-wave", "--", "-q", "-p", "no:cacheprovider", cwd=tmp_path)
    assert code == 0, out
    assert "9 passed" in out  # four laws from the manifest, four from the class, one by hand


def test_a_broken_law_makes_the_test_command_fail(write):
    folder = write("schedule")
    source = folder / "src" / "acme_schedule" / "acme_schedule.py"
    source.write_text(source.read_text().replace("return float(self.end)", "return float('inf')"))
    code, out, _ = coach("test", cwd=folder)
    assert code == 1
    assert "schedule:acme-schedule::every_step_has_a_finite_value: a schedule's value is finite" in out


def test_problems_exit_with_2_and_no_traceback(write, tmp_path):
    folder = write("schedule")
    (folder / "src" / "acme_schedule" / "coach_plugin.json").unlink()
    wanted = "acme-schedule: coach_plugin.json is missing - run `coach plugin sync`\n"
    assert coach("validate", cwd=folder) == (2, "", wanted)
    code, out, err = coach("new", "acme-schedule", "--kind", "schedule", cwd=tmp_path)
    assert (code, out) == (2, "")
    assert err == "coach: acme-schedule: is there already - choose another name, or --into another folder\n"
    code, _, err = coach("new", "acme-x", "--kind", "filtre", cwd=tmp_path)
    assert code == 2
    assert "'filtre' is not one of" in err


@pytest.mark.parametrize("command", ["sync", "new", "validate", "test"])
def test_help_reads_well_in_80_columns(command, tmp_path):
    code, out, _ = coach(command, "--help", cwd=tmp_path)
    assert code == 0
    assert out.startswith(f"Usage: coach plugin {command} ")
    assert max(map(len, out.splitlines())) <= 80


def test_help_names_every_kind():
    assert [kind for kind in KINDS if kind not in line.new.help] == []


def test_the_hook_names_four_commands_and_leaves_nothing_behind():
    with nothing_left_behind():
        assert sorted(coach_commands()) == ["plugin new", "plugin sync", "plugin test", "plugin validate"]


@pytest.fixture
def project(tmp_path):
    """The source folder of a distribution of one filter, not installed."""

    def write(name, code=PLUS):
        folder = tmp_path / name
        (folder / "src" / name).mkdir(parents=True)
        (folder / "src" / name / "__init__.py").write_text(code)
        toml = f'[project]\nname = "{name}"\n[project.entry-points."coach.filters"]\nplus = "{name}:Plus"\n'
        (folder / "pyproject.toml").write_text(toml)
        return folder

    return write


def test_sync_takes_several_folders_and_a_file_among_them(project, tmp_path):
    project("one")
    two = project("two")
    (tmp_path / "README.md").write_text("")
    paths = ["one", "README.md", "two"]
    behind = "one  out of step; not installed here\ntwo  out of step; not installed here\n"
    assert coach("sync", "--check", *paths, cwd=tmp_path) == (1, behind, "")
    assert coach("sync", *paths, cwd=tmp_path)[0] == 0
    assert (two / "src" / "two" / "coach_plugin.json").is_file()
    assert coach("sync", "--check", *paths, cwd=tmp_path) == (0, behind.replace("out of", "in"), "")


def test_sync_works_on_the_current_folder_by_itself(project):
    assert coach("sync", cwd=project("one")) == (0, "one  written; not installed here\n", "")


def test_one_broken_distribution_does_not_keep_the_others_from_being_synced(project, tmp_path):
    (tmp_path / "empty").mkdir()
    project("hurt", "raise OSError('disk')")
    project("sound")
    code, out, err = coach("sync", "hurt", "empty", "sound", cwd=tmp_path)
    assert (code, out) == (2, "sound  written; not installed here\n")
    first, second = err.splitlines()
    assert first == "hurt: coach.filters: plus - OSError: disk (__init__.py:1)"
    assert second.endswith("cannot be read: No such file or directory - give the folder of a distribution")
