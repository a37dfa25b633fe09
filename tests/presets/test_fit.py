"""What does not go together, though each part and number is sound: one line each, where the latest was written."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from coachcore.api import ComponentSpec, hookimpl
from coachcore.errors import Problems
from coachcore.presets.preset import load_preset
from coachcore.registry.registry import Registry

LSTM = {"middleware": {"use": "lstm"}}


def document(agent: dict[str, Any], learner: dict[str, Any] | None = None, **tables: Any) -> dict[str, Any]:
    whole = {
        "coach": 1,
        "environment": {"use": "track", "id": "short"},
        "agent": agent | {"learner": learner or {}},
        "exploration": {"use": "greedy"},
        "memory": {"use": "replay"},
    }
    return whole | tables


def told(registry: Registry, *arguments: Any, **tables: Any) -> list[str]:
    try:
        load_preset(document(*arguments, **tables), registry=registry)
    except Problems as problems:
        return list(problems.lines)
    return []


def reused(registry: Registry, learner: dict[str, Any], **tables: Any) -> list[str]:
    return told(registry, {"use": "chooser"}, learner, **tables)


def fresh(registry: Registry, learner: dict[str, Any], **tables: Any) -> list[str]:
    return told(registry, {"use": "walker"}, learner, memory={"use": "rollout"}, **tables)


def test_a_batch_is_no_larger_than_the_memory(parts: Registry) -> None:
    small = {"use": "replay", "capacity": 32}
    assert reused(parts, {"batch_size": 64}, memory=small) == [
        (
            "agent.learner.batch_size: batch_size: 64 is more than memory.capacity = 32 - "
            "lower it to 32 at most, or raise the capacity"
        )
    ]
    assert reused(parts, {"batch_size": 32}, memory=small) == []
    assert reused(parts, {}, memory={"use": "replay", "capacity": 8}) == [
        (
            "memory.capacity: batch_size: 32 is more than memory.capacity = 8 - "
            "lower it to 8 at most, or raise the capacity"
        )
    ]


def test_a_batch_is_held_against_whole_numbers_only(toys: ModuleType) -> None:
    """What another memory calls its capacity may be something else, or nothing is known of it."""
    spec = ComponentSpec(
        "memory", "odd", "nowhere:Odd", params=(toys.Replay.__coach__.params[1]._replace(name="capacity"),)
    )
    registry: Registry = toys.registry(SimpleNamespace(coach_memories=hookimpl(lambda: (spec,))))
    assert reused(registry, {}, memory={"use": "odd", "capacity": "5 steps"}) == []


@pytest.mark.parametrize(
    ("call", "updates", "line"),
    [
        (0, 7, ""),
        (4, 16, ""),
        (3, 16, "3 does not divide updates = 16 - use 0 for all at once, or one of 1, 2, 4, 8, 16"),
        (2, 1, "2 does not divide updates = 1 - use 0 for all at once, or one of 1"),
    ],
)
def test_calls_of_several_updates_come_out_even(parts: Registry, call: int, updates: int, line: str) -> None:
    lines = reused(parts, {"updates_per_call": call, "updates": updates})
    assert lines == ([f"agent.learner.updates_per_call: updates_per_call: {line}"] if line else [])


def test_epochs_are_for_rows_that_are_used_once(parts: Registry) -> None:
    assert reused(parts, {"epochs": 4}) == [
        "agent.learner.epochs: epochs: 4, but agent 'chooser' draws rows again and again - set updates instead"
    ]
    assert fresh(parts, {"epochs": 4, "train_every": "64 steps"}) == []


def test_updates_are_for_rows_that_are_used_again(parts: Registry) -> None:
    assert fresh(parts, {"updates": 4, "train_every": "64 steps"}) == [
        (
            "agent.learner.updates: updates: 4, but agent 'walker' uses up each rollout before the next - "
            "set epochs, the times each row is used"
        )
    ]


@pytest.mark.parametrize(
    ("learner", "count", "lines"),
    [
        ({"train_every": "128 steps", "batch_size": 64}, 1, []),
        ({"train_every": "96 steps", "batch_size": 32}, 3, []),
        (
            {"train_every": "100 steps", "batch_size": 64},
            1,
            [
                (
                    "agent.learner.train_every: train_every: 100 steps cannot be split into minibatches of 64 - "
                    "use 64 or 128 steps, or a batch_size that divides 100"
                )
            ],
        ),
        (
            {"train_every": "48 steps", "batch_size": 64},
            3,
            [
                (
                    "agent.learner.train_every: train_every: 48 steps cannot be split into minibatches of 64 - "
                    "use 192 steps, or a batch_size that divides 48"
                )
            ],
        ),
        (
            {"train_every": "100 steps", "batch_size": 50},
            8,
            [
                (
                    "agent.learner.train_every: train_every: 100 steps cannot be split among 8 environments - "
                    "use 96 or 104 steps"
                )
            ],
        ),
        (
            {"train_every": "3 episodes", "batch_size": 64},
            1,
            [
                (
                    "agent.learner.train_every: train_every: 3 episodes, but agent 'walker' learns from rollouts of "
                    'one length - count it in steps, such as "2_048 steps"'
                )
            ],
        ),
        (
            {},
            1,
            [
                (
                    "the preset: default of agent.learner: train_every: 1 steps cannot be split into minibatches of 32 "
                    "- use 32 steps, or a batch_size that divides 1"
                )
            ],
        ),
    ],
)
def test_rollouts_are_shared_out_evenly(parts: Registry, learner: dict[str, Any], count: int, lines: list[str]) -> None:
    track = {"use": "track", "id": "short", "count": count}
    assert fresh(parts, learner, environment=track) == lines


def test_a_number_that_is_wrong_by_itself_is_told_once(parts: Registry) -> None:
    assert reused(parts, {"batch_size": 0, "updates_per_call": -1}, memory={"use": "replay", "capacity": True}) == [
        "agent.learner.batch_size: batch_size: 0 is out of range - must be >= 1",
        "agent.learner.updates_per_call: updates_per_call: -1 is out of range - must be >= 0",
        "memory.capacity: capacity: expected a whole number, got true",
    ]
    assert fresh(parts, {"train_every": 3}) == [
        (
            'agent.learner.train_every: train_every: expected a duration such as "10_000 steps", got 3 - '
            'write "3 steps" if steps are meant'
        )
    ]


def test_a_recurrent_network_needs_sequences(more: Registry) -> None:
    agent = {"use": "chooser", "network": LSTM}
    assert told(more, agent) == [
        (
            "memory.use: memory 'replay' shuffles single steps, the recurrent middleware 'lstm' needs "
            "sequences - memories that keep them: whole"
        )
    ]
    assert told(more, agent, {"batch_size": 40, "sequence": 20}, memory={"use": "whole"}) == []
    assert told(more, agent, {"sequence": 20}, memory={"use": "whole"}) == [
        (
            "agent.learner.sequence: batch_size: 32 is no multiple of sequence = 20, which the recurrent middleware "
            "'lstm' learns from - use 20 or 40"
        )
    ]


@pytest.mark.parametrize(
    ("count", "sequence", "line"),
    [
        (1, 16, ""),
        (4, 16, ""),
        (8, 16, "among 8 environments in sequences of 16 - use 128 steps"),
        (1, 12, "in sequences of 12 - use 60 or 72 steps"),
    ],
)
def test_rollouts_of_recurrent_networks_are_whole_sequences(
    more: Registry, count: int, sequence: int, line: str
) -> None:
    agent = {"use": "walker", "network": LSTM}
    learner = {"train_every": "64 steps", "sequence": sequence, "batch_size": sequence}
    track = {"use": "track", "id": "short", "count": count}
    lines = told(more, agent, learner, memory={"use": "rollout"}, environment=track)
    what = "agent.learner.train_every: train_every: 64 steps cannot be split"
    assert lines == ([f"{what} {line}"] if line else [])


def test_no_memory_keeps_sequences(toys: ModuleType) -> None:
    class Only:
        coach_middlewares = hookimpl(lambda self: (toys.Lstm,), specname="coach_middlewares")

    (line,) = told(toys.registry(Only()), {"use": "chooser", "network": LSTM})
    assert line.endswith("the recurrent middleware 'lstm' needs sequences - no installed memory keeps them")


def test_one_recurrent_network_of_several_is_enough(more: Registry) -> None:
    agent = {"use": "duo", "networks": {"critic": LSTM}}
    (line,) = told(more, agent)
    assert line.startswith("memory.use: memory 'replay' shuffles single steps, ")
    assert told(more, agent, memory={"use": "whole"}) == []


def test_a_memory_of_the_wrong_age_is_one_problem(more: Registry) -> None:
    assert told(more, {"use": "chooser", "network": LSTM}, memory={"use": "rollout"}) == [
        (
            "memory.use: memory 'rollout' gives sequence or episode order, fresh, agent 'chooser' needs any order, "
            "reused - memories that do: replay, whole"
        )
    ]


@pytest.mark.parametrize("policy", ["greedy", "drift"])
def test_exploration_for_the_actions_of_the_agent(more: Registry, policy: str) -> None:
    assert told(more, {"use": "duo"}, exploration={"use": policy}) == []


@pytest.mark.parametrize("policy", ["greedy", "drift", "dice"])
def test_an_agent_of_both_kinds_of_action_takes_any(more: Registry, policy: str) -> None:
    assert told(more, {"use": "either"}, exploration={"use": policy}) == []
    assert told(more, {"use": "chooser"}, exploration={"use": policy}) == []


def test_exploration_for_other_actions(more: Registry) -> None:
    assert told(more, {"use": "duo"}, exploration={"use": "dice"}) == [
        (
            "exploration.use: exploration 'dice' is for discrete actions, agent 'duo' has box actions - "
            "policies that fit: drift, e-greedy, greedy, noisy"
        )
    ]


def test_it_is_told_where_the_latest_of_both_was_written(tmp_path: Path, parts: Registry) -> None:
    (tmp_path / "mine.toml").write_text('coach = 1\nextends = "track-chooser"\nagent.learner.batch_size = 64\n')
    with pytest.raises(Problems) as caught:
        load_preset(tmp_path / "mine.toml", sets=["memory.capacity=8"], registry=parts)
    assert caught.value.lines == (
        (
            "--set memory.capacity=8 (column 17): batch_size: 64 is more than memory.capacity = 8 - "
            "lower it to 8 at most, or raise the capacity"
        ),
    )
    (tmp_path / "over.toml").write_text("memory.capacity = 8\n")
    with pytest.raises(Problems) as caught:
        load_preset(
            "track-chooser", withs=[tmp_path / "over.toml"], sets=["agent.learner.batch_size=9"], registry=parts
        )
    assert caught.value.lines[0].startswith("--set agent.learner.batch_size=9 (column 26): batch_size: 9 is more than ")
