"""Which layer wins, what it takes with it, and where each value is said to come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coachcore.errors import CoachError, Problems
from coachcore.presets.layers import find, merge
from coachcore.presets.preset import Preset, load_preset
from coachcore.presets.tree import Origin, plain, rooted
from coachcore.registry.registry import Registry


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text)
    return file


def load(parts: Registry, *sets: str, source: Any = "track-chooser", **more: Any) -> Preset:
    return load_preset(source, sets=sets, registry=parts, **more)


def test_defaults_are_lowest(parts: Registry) -> None:
    preset = load(parts)
    assert preset.resolved["agent"]["discount"] == 0.99
    assert preset.resolved["agent"]["double"] is True
    assert preset.resolved["environment"]["count"] == 1
    assert preset.resolved["recorders"] == [{"use": "jsonl"}, {"use": "terminal", "every": "1_000 steps"}]
    assert "discount" not in preset.document["agent"]
    assert "recorders" not in preset.document


def test_the_chain_from_lowest_to_highest(tmp_path: Path, parts: Registry) -> None:
    write(
        tmp_path,
        "low.toml",
        'coach = 1\nextends = "track-chooser"\nmemory.capacity = 1\nseed = 1\nenvironment.length = 1\n',
    )
    mine = write(tmp_path, "mine.toml", 'coach = 1\nextends = "low.toml"\nmemory.capacity = 2\nseed = 2\n')
    over = write(tmp_path, "over.toml", "memory.capacity = 3\n")
    preset = load(parts, "memory.capacity=4", source=mine, withs=[over], seed=9)
    assert preset.name == "mine"
    assert preset.resolved["memory"]["capacity"] == 4
    assert preset.resolved["seed"] == 9
    assert preset.resolved["environment"] == {"use": "track", "id": "short", "length": 1, "options": {}, "count": 1}
    assert load(parts, source=mine, withs=[over]).resolved["memory"]["capacity"] == 3
    assert load(parts, source=mine).resolved["memory"]["capacity"] == 2
    assert str(preset.origins["environment.length"]) == f"{tmp_path}/low.toml:5:22"
    assert str(preset.origins["memory.capacity"]) == "--set memory.capacity=4 (column 17)"
    assert str(preset.origins["seed"]) == "--seed 9"
    assert str(preset.origins["agent.discount"]) == "default of agent 'chooser'"
    assert preset.origins["environment.length"].layer == "low (extends, depth 1)"
    assert preset.origins["environment.id"].layer == "track-chooser (extends, depth 2)"


def test_a_list_of_presets_to_extend(tmp_path: Path, parts: Registry) -> None:
    write(tmp_path, "a.toml", "memory.capacity = 1\nagent.discount = 0.1\n")
    write(tmp_path, "b.toml", "memory.capacity = 2\n")
    mine = write(tmp_path, "mine.toml", 'coach = 1\nextends = ["track-chooser", "a.toml", "b.toml"]\n')
    resolved = load(parts, source=mine).resolved
    assert (resolved["memory"]["capacity"], resolved["agent"]["discount"]) == (2, 0.1)


def test_extending_one_twice_is_no_circle(tmp_path: Path, parts: Registry) -> None:
    for name in ("a", "b"):
        write(tmp_path, f"{name}.toml", 'coach = 1\nextends = "track-chooser"\n')
    mine = write(tmp_path, "mine.toml", 'coach = 1\nextends = ["a.toml", "b.toml"]\n')
    assert load(parts, source=mine).resolved["memory"]["capacity"] == 40_000


def test_extending_oneself(tmp_path: Path, parts: Registry) -> None:
    mine = write(tmp_path, "mine.toml", 'coach = 1\nextends = "./mine.toml"\n')
    with pytest.raises(
        Problems, match=r"mine\.toml:2:11: presets extend each other in a circle: mine\.toml -> mine\.toml"
    ):
        load(parts, source=mine)


def test_another_part_drops_the_lower_settings(tmp_path: Path, parts: Registry) -> None:
    mine = write(
        tmp_path,
        "mine.toml",
        'coach = 1\nextends = "track-chooser"\n[exploration]\nuse = "noisy"\nsigma = 0.5\nepsilon = 0.3',
    )
    preset = load(parts, source=mine)
    assert preset.document["exploration"] == {"use": "noisy", "sigma": 0.5, "epsilon": 0.3}
    assert preset.notices == ()


def test_another_agent_keeps_learner_and_torso_but_no_heads(tmp_path: Path, parts: Registry) -> None:
    low = '[agent.network]\nmiddleware = { use = "dense", scheme = "deep" }\nheads.q = { use = "dueling-q" }\n'
    write(tmp_path, "low.toml", 'coach = 1\nextends = "track-chooser"\n' + low)
    mine = write(
        tmp_path, "mine.toml", 'coach = 1\nextends = "low.toml"\nagent.use = "walker"\nmemory.use = "rollout"\n'
    )
    agent = load(parts, "agent.learner.train_every='8 steps'", source=mine).resolved["agent"]
    assert agent["learner"]["batch_size"] == 2
    assert agent["network"]["middleware"] == {"use": "dense", "scheme": "deep"}
    assert agent["network"]["heads"] == {"policy": {"use": "policy"}, "value": {"use": "value", "units": 32}}


def test_another_agent_of_several_networks_keeps_those_it_has_too(tmp_path: Path, more: Registry) -> None:
    low = 'exploration = { use = "greedy" }\nagent.use = "duo"\n[agent.networks]\nactor.l2 = 0.1\n'
    low += 'critic = { l2 = 0.2, loss_weights = { q = 2 }, heads = { q = { use = "pair" } } }\n'
    write(tmp_path, "low.toml", 'coach = 1\nextends = "track-chooser"\n' + low)
    third = '{ embedders.observation = { use = "vector" }, middleware = { use = "dense" } }'
    high = f'agent.use = "trio"\n[agent.networks]\nthird = {third}\ncritic.heads.v = {{ use = "value" }}\n'
    mine = write(tmp_path, "mine.toml", 'coach = 1\nextends = "low.toml"\n' + high)
    networks = load(more, source=mine).resolved["agent"]["networks"]
    assert (sorted(networks), networks["critic"]["l2"]) == (["critic", "third"], 0.2)
    assert (networks["critic"]["heads"], networks["critic"]["loss_weights"]) == (
        {"v": {"use": "value", "units": 64}},
        {},
    )


@pytest.mark.parametrize(
    ("before", "table", "after"),
    [
        ("chooser", "network.l2 = 0.1", "duo"),
        ("duo", "networks.actor.l2 = 0.1", "chooser"),
        ("duo", "networks = 3", "trio"),
        ("chooser", "network = 3", "either"),
    ],
)
def test_the_networks_of_another_agent(tmp_path: Path, more: Registry, before: str, table: str, after: str) -> None:
    """Tables of the other form are left behind; what is no table is still told."""
    head = 'coach = 1\nextends = "track-chooser"\nexploration = { use = "greedy" }\n'
    write(tmp_path, "low.toml", f'{head}agent.use = "{before}"\nagent.{table}\n')
    mine = write(tmp_path, "mine.toml", f'coach = 1\nextends = "low.toml"\nagent.use = "{after}"\n')
    if table.endswith("= 3"):
        with pytest.raises(Problems, match="must be a table, got 3"):
            load(more, source=mine)
    else:
        agent = load(more, source=mine).resolved["agent"]
        assert ("networks" in agent, "network" in agent) == (after == "duo", after != "duo")


def test_an_unknown_agent_takes_everything_along(tmp_path: Path, more: Registry) -> None:
    write(tmp_path, "low.toml", 'coach = 1\nextends = "track-chooser"\nagent.network.l2 = 0.1\n')
    for use in ('"tri"', "3"):
        mine = write(tmp_path, "mine.toml", f'coach = 1\nextends = "low.toml"\nagent.use = {use}\n')
        with pytest.raises(Problems) as caught:
            load(more, source=mine)
        assert ["network" in line for line in caught.value.lines] == [False]


def test_an_alias_is_the_same_part(tmp_path: Path, parts: Registry) -> None:
    mine = write(tmp_path, "mine.toml", 'coach = 1\nextends = "track-chooser"\nmemory.use = "ExperienceReplay"\n')
    memory = load(parts, source=mine).resolved["memory"]
    assert (memory["use"], memory["capacity"]) == ("replay", 40_000)


def test_lists_are_replaced_as_a_whole(tmp_path: Path, parts: Registry) -> None:
    over = write(tmp_path, "over.toml", '[[filters.observation]]\nuse = "clipping"\n[[recorders]]\nuse = "csv"\n')
    resolved = load(parts, withs=[over]).resolved
    assert resolved["filters"]["observation"] == [{"use": "clipping", "high": 1.0}]
    assert resolved["recorders"] == [{"use": "csv", "separator": ","}]


def test_a_schedule_is_changed_in_part_or_replaced(tmp_path: Path, parts: Registry) -> None:
    part = write(tmp_path, "part.toml", "exploration.epsilon.end = 0.2\n")
    whole = write(tmp_path, "whole.toml", "exploration.epsilon = 0.2\n")
    wanted = {"use": "linear", "start": 0.5, "end": 0.2, "steps": 1000}
    assert load(parts, withs=[part]).resolved["exploration"]["epsilon"] == wanted
    assert load(parts, withs=[whole]).resolved["exploration"]["epsilon"] == 0.2


def test_a_schedule_that_is_a_default_is_changed_in_part(parts: Registry) -> None:
    preset = load(parts, "~exploration.epsilon", "exploration.epsilon.end=0")
    assert preset.resolved["exploration"]["epsilon"] == {"use": "linear", "start": 1.0, "end": 0.0, "steps": 100}
    assert preset.document["exploration"]["epsilon"] == {"end": 0}


def test_a_broken_file_with_another(tmp_path: Path, parts: Registry) -> None:
    over = write(tmp_path, "over.toml", "memory.capacity = \n")
    with pytest.raises(Problems) as caught:
        load(parts, "agent.x=1", withs=[over, tmp_path / "none.toml"])
    starts = [line.partition(" - ")[0] for line in caught.value.lines]
    assert len(starts) == 3
    assert any("over.toml:1:19: not TOML: Invalid value" in start for start in starts)
    assert any("there is no file" in start for start in starts)


def test_find_prefers_an_installed_name_to_a_folder(
    tmp_path: Path, parts: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "track-chooser").mkdir()
    assert find("track-chooser", parts) == parts.presets()["track-chooser"]
    with pytest.raises(CoachError, match="this is a folder"):
        load(parts, source="")


tables = st.recursive(
    st.integers(0, 9), lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3), max_leaves=8
)
layers = st.dictionaries(st.sampled_from("abc"), tables, max_size=3)


def over(parts: Registry, *documents: Any) -> Any:
    tree = rooted(documents[0], Origin("0", ""))
    for number, document in enumerate(documents[1:], 1):
        tree = merge(tree, rooted(document, Origin(str(number), "")), parts)
    return plain(tree)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(layers, layers, layers)
def test_merging_is_associative_idempotent_and_has_a_neutral_element(parts: Registry, a: Any, b: Any, c: Any) -> None:
    assert over(parts, over(parts, a, b), c) == over(parts, a, over(parts, b, c))
    assert over(parts, a, a) == a
    assert over(parts, {}, a) == over(parts, a, {}) == a
