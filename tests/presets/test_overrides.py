"""Changing a preset from the command line, one argument at a time."""

from __future__ import annotations

from typing import Any

import pytest

from coachcore.errors import Problems
from coachcore.presets.preset import Preset, load_preset
from coachcore.registry.registry import Registry


def load(parts: Registry, *sets: str) -> Preset:
    return load_preset("track-chooser", sets=sets, registry=parts)


def told(parts: Registry, *sets: str) -> tuple[str, ...]:
    with pytest.raises(Problems) as caught:
        load(parts, *sets)
    return caught.value.lines


@pytest.mark.parametrize(
    ("argument", "path", "value"),
    [
        ("memory.capacity=10_000", ("memory", "capacity"), 10_000),
        (" memory . capacity =5", ("memory", "capacity"), 5),
        ('environment."id"="a b"', ("environment", "id"), "a b"),
        ("environment.id=CartPole-v1", ("environment", "id"), "CartPole-v1"),
        ("agent.double=false", ("agent", "double"), False),
        (
            "agent.network.middleware.scheme=deep",
            ("agent", "network", "middleware"),
            {"use": "dense", "scheme": "deep"},
        ),
        ("agent.network.heads.q.use=dueling-q", ("agent", "network", "heads", "q"), {"use": "dueling-q", "units": 64}),
        ("filters.observation[0].factor=2", ("filters", "observation"), [{"use": "scaling", "factor": 2.0}]),
        ("filters.observation[0]={use='clipping'}", ("filters", "observation"), [{"use": "clipping", "high": 1.0}]),
        ("filters.reward+={use='clipping'}", ("filters", "reward"), [{"use": "clipping", "high": 1.0}]),
        ("filters.observation=[]", ("filters",), {}),
        ("~filters.observation[0]", ("filters",), {}),
        ("~memory.capacity", ("memory", "capacity"), 100_000),
        ("exploration.epsilon={use='linear', start=1, end=0, steps=3}", ("exploration", "epsilon", "steps"), 3),
        ("engine.use=other", ("engine",), {"use": "other"}),
        ("engine.threads=2", ("engine",), {"use": "tensorflow", "threads": 2}),
        ("memory.split+=[1, 2]", ("memory", "split"), [1, 2]),
    ],
)
def test_what_an_argument_does(argument: str, path: tuple[str, ...], value: Any, parts: Registry) -> None:
    found: Any = load(parts, argument).resolved
    for key in path:
        found = found[key]
    assert found == value


def test_adding_keeps_the_default_recorders(parts: Registry) -> None:
    preset = load(parts, "recorders+={use='csv'}", "memory.split+=1", "memory.split+=2")
    assert [recorder["use"] for recorder in preset.resolved["recorders"]] == ["jsonl", "terminal", "csv"]
    assert preset.document["recorders"] == [{"use": "jsonl"}, {"use": "terminal"}, {"use": "csv"}]
    assert preset.resolved["memory"]["split"] == [1, 2]


def test_choosing_another_part_drops_what_it_does_not_have(parts: Registry) -> None:
    preset = load(parts, "exploration.use=greedy")
    assert preset.resolved["exploration"] == {"use": "greedy"}
    assert preset.notices == ("exploration.use: e-greedy -> greedy drops epsilon, evaluation",)


def test_choosing_another_part_drops_what_it_cannot_take(parts: Registry) -> None:
    """`epsilon` may be a schedule in one part and must be a number in the other."""
    preset = load(parts, "exploration.use=noisy", "exploration.sigma=1")
    assert preset.resolved["exploration"] == {"use": "noisy", "sigma": 1.0, "low": -1.0, "epsilon": 0.1}


def test_choosing_the_same_part_by_an_alias_drops_nothing(parts: Registry) -> None:
    preset = load(parts, "exploration.use=EGreedy")
    assert preset.notices == ()
    assert preset.resolved["exploration"]["evaluation"] == 0.01


def test_choosing_another_part_that_drops_nothing(parts: Registry) -> None:
    preset = load(parts, "engine.use=other", "engine.use=tensorflow")
    assert preset.notices == ()
    assert preset.resolved["engine"]["use"] == "tensorflow"


def test_taking_the_recorders_out_brings_the_usual_ones_back(parts: Registry) -> None:
    preset = load(parts, "recorders=[]", "~recorders")
    assert [recorder["use"] for recorder in preset.resolved["recorders"]] == ["jsonl", "terminal"]
    assert load(parts, "recorders=[]").resolved["recorders"] == []


def test_choosing_another_agent_keeps_what_fits(parts: Registry) -> None:
    rollouts = "agent.learner.train_every='8 steps'"
    preset = load(parts, "agent.discount=0.5", "agent.use=walker", "memory.use=rollout", rollouts)
    assert preset.resolved["agent"]["discount"] == 0.5
    assert preset.resolved["agent"]["learner"]["batch_size"] == 2
    assert preset.notices == (
        "agent.use: chooser -> walker drops double",
        "memory.use: replay -> rollout drops capacity",
    )


def test_a_scheme_of_one_network_of_several(more: Registry) -> None:
    scheme = "agent.networks.critic.middleware.scheme=[64, {use='thick', units=3}]"
    preset = load(more, "agent.use=duo", "exploration={use='greedy'}", scheme)
    critic = preset.resolved["agent"]["networks"]["critic"]
    assert critic["middleware"] == {"use": "stack", "scheme": [64, {"use": "thick", "units": 3, "slope": 0.5}]}
    assert str(preset.origins["agent.networks.critic.middleware.scheme[1].units"]).endswith("(column 66)")
    assert str(preset.origins["agent.networks.critic.middleware.use"]) == "default of network 'critic' of agent 'duo'"


def test_another_layer_drops_what_it_does_not_have(more: Registry) -> None:
    scheme = "agent.network.middleware={use='stack',scheme=[{use='thick',units=3}]}"
    preset = load(more, scheme, "agent.network.middleware.scheme[0].use=drop")
    assert preset.resolved["agent"]["network"]["middleware"]["scheme"] == [{"use": "drop", "rate": 0.1}]
    assert preset.notices == ("agent.network.middleware.scheme[0].use: thick -> drop drops units",)


def test_an_agent_of_several_networks_has_no_use_for_the_tables_of_one(more: Registry) -> None:
    greedy = "exploration={use='greedy'}"
    preset = load(more, "agent.network.l2=1", "agent.use=duo", greedy)
    assert preset.notices == ("agent.use: chooser -> duo drops double, network",)
    preset = load(more, "agent.use=duo", greedy, "agent.networks.actor.l2=1", "agent.use=chooser")
    assert preset.notices[-1] == "agent.use: duo -> chooser drops networks"


@pytest.mark.parametrize(
    ("argument", "line"),
    [
        ("", "(column 1): expected a key - write a path such as memory.capacity or filters.observation[0].use"),
        ("memory", "(column 7): expected '=' and a value, such as memory.capacity=10_000"),
        (
            "memory..x=1",
            "(column 8): expected a key - write a path such as memory.capacity or filters.observation[0].use",
        ),
        ("memory.capacity=", "(column 17): '' is not a TOML value - write one after the sign"),
        (
            "schedule.train=50_000 steps",
            "(column 16): '50_000 steps' is not a TOML value - quote text: --set 'schedule.train=\"50_000 steps\"'",
        ),
        ("a=1\nb=2", "(column 3): '1\nb=2' is not a TOML value - quote text: --set 'a=\"1\nb=2\"'"),
        ("memory.capacity.x=1", "(column 17): memory.capacity is not a table"),
        ("memory[0]=1", "(column 7): memory is not a list"),
        ("filters.observation.use=1", "(column 21): filters.observation is not a table"),
        ("filters.observation[3].use=1", "(column 20): filters.observation has 1 items - count from [0]"),
        ("filters.reward[0].use=1", "(column 9): there is no 'reward' in filters - known: observation"),
        (
            "~memory.capcity",
            "(column 9): there is no 'capcity' in memory - did you mean 'capacity'? known: capacity, use",
        ),
        ("~memory=3", "(column 8): nothing may follow a path to remove, got '=3' - write ~memory"),
        ("memory.capacity+=3", "(column 8): memory.capacity is not a list - use = to replace it"),
        ("memory.capacity='3'", '(column 17): capacity: expected a whole number, got "3" - write 3 without quotes'),
        (
            "memory.capcity=3",
            (
                "(column 8): memory 'replay' has no setting 'capcity' - "
                "did you mean 'capacity'? known: age, capacity, split"
            ),
        ),
        (
            "exploration.epsilon={use='linear',start=0.1,end=true,steps=5}",
            "(column 49): end: expected a number, got true",
        ),
        (
            "memory.use=reply",
            "(column 12): no memory is called 'reply' - did you mean 'replay'? known: replay, rollout",
        ),
        ("memory.use=3", "(column 12): use: expected the name of a memory, got 3"),
        ("coach=2", "(column 7): coach: format 2 is newer than this Coach reads (1) - update coachcore"),
        ('memory."\\q"=3', '(column 8): "\\q" is not a quoted key that TOML can read'),
    ],
)
def test_errors_point_into_the_argument(argument: str, line: str, parts: Registry) -> None:
    assert told(parts, argument) == (f"--set {argument} {line}".replace("\n", "\\n"),)


def test_all_arguments_are_judged_at_once(parts: Registry) -> None:
    found = told(parts, "memory.capacity=0", "agent.x", "agent.double=1")
    assert [line.partition(")")[0] for line in found] == [
        "--set memory.capacity=0 (column 17",
        "--set agent.x (column 8",
        "--set agent.double=1 (column 14",
    ]


def test_changing_as_plain_data(parts: Registry) -> None:
    preset = load_preset("track-chooser", registry=parts)
    changed = preset.changed(
        {"memory.capacity": 5, "exploration": {"use": "greedy"}, "seed": 3, "summary": None}, registry=parts
    )
    assert changed.resolved["memory"]["capacity"] == 5
    assert changed.resolved["exploration"] == {"use": "greedy"}
    assert changed.resolved["seed"] == 3
    assert "summary" not in changed.document
    assert preset.resolved["memory"]["capacity"] == 40_000
    assert changed.origins["memory.use"] == preset.origins["memory.use"]


def test_changing_wrongly(parts: Registry) -> None:
    preset = load_preset("track-chooser", registry=parts)
    with pytest.raises(Problems) as caught:
        preset.changed({"memory.capacity": "5", "memory.siez": 1, "a b": 1}, registry=parts)
    assert sorted(caught.value.lines) == [
        "a b: 'a b' is not a path - write one such as memory.capacity",
        'memory.capacity: capacity: expected a whole number, got "5" - write 5 without quotes',
        "memory.siez: memory 'replay' has no setting 'siez' - known: age, capacity, split",
    ]
