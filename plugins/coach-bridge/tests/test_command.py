"""`coach convert` as a user runs it: what it writes, and its exit codes."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest
from click.testing import CliRunner

from coach_bridge.command import convert
from coach_bridge.plugin import coach_commands
from coachcore.api import BadData


def ran(*arguments):
    return CliRunner().invoke(convert, [str(one) for one in arguments])


def test_the_plugin_offers_the_command():
    assert coach_commands() == {"convert": convert}


def test_all_converted_is_exit_code_0(tmp_path, old):
    source, out = tmp_path / "CartPole_DQN.py", tmp_path / "new.toml"
    source.write_text(old["CartPole_DQN"].text, encoding="utf-8")
    result = ran(source, "--out", out)
    assert (result.exit_code, result.stdout) == (0, "")
    assert f"{source}:10: note: CartPole-v0 is CartPole-v1 with episodes of 200 steps at most" in result.stderr
    assert tomllib.loads(out.read_text(encoding="utf-8"))["agent"]["use"] == "dqn"


def test_something_left_out_is_exit_code_1(tmp_path, old):
    source = tmp_path / "Atari_DQN.py"
    source.write_text(old["Atari_DQN"].text, encoding="utf-8")
    result = ran(source, "--level", "pong")
    assert result.exit_code == 1
    assert "left out: a life lost no longer ends an episode" in result.stderr
    assert tomllib.loads(result.stdout)["environment"]["id"] == "ale_py:ALE/Pong-v5"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"def (", "this is not Python"),
        (b"\xff\xfe\x00", "this is not UTF-8 text"),
        (b"x = 1\n", "this is no preset: it makes no agent_params"),
        (b"", "this is no preset: it makes no agent_params"),
    ],
)
def test_no_python_or_no_preset_is_an_error_of_one_line(tmp_path, data, said):
    source = tmp_path / "old.py"
    source.write_bytes(data)
    error = ran(source).exception
    assert isinstance(error, BadData)
    assert error.exit_code == 2
    assert said in str(error)
    assert "\n" not in str(error)


def test_files_that_are_not_there(tmp_path, old):
    assert "no such file" in str(ran(tmp_path / "none.py").exception)
    assert "is a directory" in str(ran(tmp_path).exception)
    source = tmp_path / "old.py"
    source.write_text(old["CartPole_DQN"].text, encoding="utf-8")
    assert "give --out a file that can be written" in str(ran(source, "--out", tmp_path).exception)


def test_the_coach_command_knows_it(tmp_path):
    """Installed, the command is found through the hook; what it raises becomes exit code 2."""
    source = tmp_path / "old.py"
    source.write_text("def (", encoding="utf-8")
    said = subprocess.run(
        [sys.executable, "-m", "coachcore", "convert", str(source)], capture_output=True, text=True, check=False
    )
    assert said.returncode == 2
    assert said.stderr.startswith(f"coach: {source}:1: this is not Python")
    assert said.stderr.count("\n") == 1
