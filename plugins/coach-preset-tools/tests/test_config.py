"""`coach config`: the resolved preset as TOML, or each value with its origin."""

from __future__ import annotations

import tomllib
from pathlib import Path
from runpy import run_path

import pytest
from click.testing import CliRunner, Result

from coach_preset_tools.config import config, leaves
from coachcore.errors import Problems
from coachcore.presets.tree import Origin, path_text, rooted

TOYS = run_path(str(Path(__file__).parents[3] / "tests" / "presets" / "toys.py"))


@pytest.fixture(autouse=True)
def made_up_parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    registry = TOYS["registry"]()
    monkeypatch.setattr("coachcore.registry.registry.current", lambda: registry)
    monkeypatch.chdir(tmp_path)


def call(*arguments: str) -> Result:
    return CliRunner().invoke(config, arguments)


def test_resolved_as_toml() -> None:
    document = tomllib.loads(call("track-chooser", "--set", "memory.capacity=7").stdout)
    assert document["memory"] == {"use": "replay", "capacity": 7, "split": []}
    assert document["agent"]["discount"] == 0.99


def test_explained(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('coach = 1\nextends = "track-chooser"\nmemory.capacity = 6\n')
    result = call("mine.toml", "--set", "agent.discount=0.5", "--explain")
    text = result.stdout
    assert result.exit_code == 0
    assert text.startswith(
        "# layers, the lowest first\n#   0  defaults of the parts\n#   1  track-chooser (extends, depth 1): "
    )
    assert "\n#   2  mine: mine.toml\n#   3  --set agent.discount=0.5\n" in text
    assert '[memory]\nuse      = "replay"  # track-chooser.toml:21:7\ncapacity = 6         # mine.toml:3:19\n' in text
    assert "discount = 0.5        # layer 3, column 16\n" in text
    assert "batch_size       = 2              # track-chooser.toml:13:14\n" in text
    assert "target_rate      = 1.0            # default of agent.learner\n" in text


def test_explained_reads_in_eighty_columns(tmp_path: Path) -> None:
    long = "x" * 70
    (tmp_path / "mine.toml").write_text(f'coach = 1\nextends = "track-chooser"\nenvironment.id = "{long}"\n')
    lines = call("mine.toml", "--explain").stdout.splitlines()
    body = lines[lines.index("") :]
    assert f'id      = "{long}"' in body
    assert [line for line in body if len(line) > 80 and long not in line] == []
    assert "# mine.toml:3:18" in body[body.index(f'id      = "{long}"') + 1]


def test_a_notice_goes_to_stderr() -> None:
    result = call("track-chooser", "--set", "exploration.use=greedy")
    assert result.stderr == "note: exploration.use: e-greedy -> greedy drops epsilon, evaluation\n"


def test_a_wrong_preset_is_the_command_lines_business() -> None:
    assert isinstance(call("track-choser").exception, Problems)


def test_networks_and_layers_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = TOYS["registry"](TOYS["MoreToys"]())
    monkeypatch.setattr("coachcore.registry.registry.current", lambda: registry)
    scheme = "agent.networks.critic.middleware.scheme=[64, {use='thick', units=3}]"
    rate = "agent.networks.temperature.learning_rate_factor=2"
    sets = [word for text in ("agent.use=duo", "exploration={use='greedy'}", scheme, rate) for word in ("--set", text)]
    text = call("track-chooser", *sets, "--explain").stdout
    assert (
        "\n[agent.networks.critic.middleware]\n"
        "use       = \"stack\"  # default of network 'critic' of agent 'duo'\n"
        "scheme[0] = 64       # layer 4, column 42\n"
        "\n[agent.networks.critic.middleware.scheme[1]]\n"
        'use   = "thick"  # layer 4, column 51\n'
        "units = 3        # layer 4, column 66\n"
        "slope = 0.5      # default of layer 'thick'\n"
    ) in text
    assert "\n[agent.networks.temperature]\nlearning_rate_factor = 2.0  # layer 5, column 49\n" in text
    networks = tomllib.loads(call("track-chooser", *sets).stdout)["agent"]["networks"]
    assert networks["critic"]["middleware"]["scheme"] == [64, {"use": "thick", "units": 3, "slope": 0.5}]
    assert networks["temperature"] == {"learning_rate_factor": 2.0}


def test_leaves_are_values_and_empty_tables() -> None:
    node = rooted({"a": {"b": 1, "c": {}}, "d": [{"e": 2}, 3], "f": [4, 5]}, Origin("mine", "mine.toml"))
    assert [path_text(path) for path, _ in leaves(node)] == ["a.b", "a.c", "d[0].e", "d[1]", "f"]
