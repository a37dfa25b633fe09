"""`coach describe --pipeline`: the filters of a preset, and what each makes of the space."""

from __future__ import annotations

import json

import attrs
import pytest

import coachcore
from coachcore.cli.main import invoke
from coachcore.component import component, param
from coachcore.presets.writer import dump
from coachcore.registry.hookspecs import hookimpl
from coachcore.spaces import Box
from coachcore.testing.toy_plugin import ToyPlugin, toy_preset


@component("filter", "toy-narrow", acts_on=["observation", "reward"])
@attrs.frozen(kw_only=True)
class Narrow:
    """Promises a narrower space."""

    to: float = param(doc="the edge", default=1.0)
    stored: bool = param(doc="false: memory keeps what came in", default=True)

    def space(self, before):
        return Box(before.shape, -self.to, self.to)

    def init(self, before, count):
        return None

    def __call__(self, state, values, rows):
        return None, values


class Plugin(ToyPlugin):
    """The toys, and a filter."""

    @hookimpl
    def coach_filters(self):
        return (Narrow,)


@pytest.fixture(autouse=True)
def preset(tmp_path, monkeypatch):
    coachcore.register(Plugin(), "toys")
    rules = {
        "observation": [{"use": "toy-narrow", "to": 9.0}, {"use": "toy-narrow", "stored": False}],
        "reward": [{"use": "toy-narrow", "to": 5.0}],
    }
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "signs.toml").write_text(dump(toy_preset(filters=rules)))
    yield
    coachcore.unregister("toys")


def said(capsys, *arguments):
    code = invoke(["describe", *arguments])
    return code, *capsys.readouterr()


TEXT = """\
observation 'observation'
  the environment shows   Box((3,), -1 to 1, float32)
  toy-narrow              Box((3,), -9 to 9, float32)
  toy-narrow, not stored  Box((3,), -1 to 1, float32)
  the network sees        Box((3,), -1 to 1, float32)
reward
  the environment gives  Box((), -inf to inf, float32)
  toy-narrow             Box((), -5 to 5, float32)
  the agent is given     Box((), -5 to 5, float32)
action
  the environment takes  Discrete(n=2, names=())
  the agent chooses      Discrete(n=2, names=())
"""


def test_space_by_space(capsys):
    assert said(capsys, "--pipeline", "signs.toml") == (0, TEXT, "")


def test_json(capsys):
    data = json.loads(said(capsys, "--pipeline", "signs.toml", "--json")[1])
    assert list(data["pipelines"]) == ["observation 'observation'", "reward", "action"]
    assert data["pipelines"]["reward"][1] == {"step": "toy-narrow", "space": "Box((), -5 to 5, float32)"}


@pytest.mark.parametrize("arguments", [(), ("toy-narrow", "--pipeline", "signs.toml")])
def test_one_of_both_is_asked_for(capsys, arguments):
    message = "coach: name a part, such as agent/dqn, or a preset with --pipeline, and not both\n"
    assert said(capsys, *arguments) == (2, "", message)


def test_what_does_not_fit_is_refused(capsys, tmp_path):
    rules = {"observation": [{"use": "toy-narrow", "stored": False}, {"use": "toy-narrow"}]}
    (tmp_path / "odd.toml").write_text(dump(toy_preset(filters=rules)))
    message = (
        "coach: filters.observation: filters with stored = false come last: what memory keeps has not passed them\n"
    )
    assert said(capsys, "--pipeline", "odd.toml") == (2, "", message)
