"""One table at a time: settings of parts and of the run, each slip told where it was written."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from coachcore.component import ParamSpec
from coachcore.presets.tables import Checked, Checker
from coachcore.presets.tree import DEFAULT, Node, Origin, plain, rooted
from coachcore.registry.registry import Registry


def node(value: Any, name: str = "memory") -> Node:
    """Plain data as it would stand at `name` of a preset."""
    made: Node = rooted({name: value}, Origin("data", "the preset")).value[name]
    return made


@pytest.fixture
def checker(parts: Registry) -> Checker:
    return Checker(parts, rooted({}, Origin("data", "the preset")))


def told(checker: Checker) -> list[str]:
    return [str(problem) for problem in checker.found]


def part(checker: Checker, value: Any, kind: str = "memory") -> Any:
    """The part's table as data; None where there is none."""
    checked = checker.part(node(value, kind), kind)
    return None if checked.node is None else plain(checked.node)


def test_a_part_with_its_defaults(checker: Checker) -> None:
    given = node({"use": "replay", "capacity": 70})
    found, entry = checker.part(given, "memory")
    assert found is not None
    assert entry is not None
    assert (plain(found), entry.id) == ({"use": "replay", "capacity": 70, "split": []}, "toys/memory:replay")
    assert str(found.value["capacity"].origin) == "memory.capacity"
    assert found.value["split"].origin == Origin(DEFAULT, "default of memory 'replay'")
    assert told(checker) == []


def test_an_old_name_gives_way_to_the_parts_own(checker: Checker) -> None:
    assert part(checker, {"use": "ExperienceReplay"})["use"] == "replay"
    assert part(checker, {"use": "toys/memory:replay"})["use"] == "toys/memory:replay"


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ({}, "memory: `use` is missing: which memory? - known: replay, rollout"),
        ({"use": 3}, "memory.use: use: expected the name of a memory, got 3"),
        ({"use": ["replay"]}, 'memory.use: use: expected the name of a memory, got ["replay"]'),
        ({"use": "replya"}, "memory.use: no memory is called 'replya' - did you mean 'replay'? known: replay, rollout"),
    ],
)
def test_a_table_that_names_no_part(checker: Checker, value: Any, line: str) -> None:
    assert checker.part(node(value), "memory") == Checked(None, None)
    assert told(checker) == [line]


def test_everything_wrong_in_a_table_is_found(checker: Checker) -> None:
    part(checker, {"use": "replay", "capacity": 0, "sise": 3, "split": [1, 0, "2"], "age": "5 parsecs"})
    lines = told(checker)
    assert lines[0].startswith("memory.sise: memory 'replay' has no setting 'sise' - ")
    assert lines[1].startswith("memory.capacity: capacity: ")
    assert lines[2].startswith("memory.age: age: ")
    assert lines[3].startswith("memory.split[1]: split[1]: ")
    assert lines[4].startswith("memory.split[2]: split[2]: ")
    assert len(lines) == 5


def test_keys_that_are_not_the_parts_own_are_allowed_by_name(checker: Checker) -> None:
    given = node({"use": "track", "id": "short", "count": 2, "cuont": 3}, "environment")
    found, _ = checker.part(given, "environment", ("count",))
    assert found is not None
    assert "count" not in found.value
    (line,) = told(checker)
    assert line.startswith("environment.cuont: environment 'track' has no setting 'cuont' - did you mean 'count'?")


def test_a_part_without_settings(checker: Checker) -> None:
    part(checker, {"use": "greedy", "epsilon": 1}, "exploration")
    assert told(checker) == ["exploration.epsilon: exploration 'greedy' has no setting 'epsilon' - it takes none"]


def test_a_required_setting(checker: Checker) -> None:
    assert part(checker, {"use": "track"}, "environment") == {"use": "track", "length": 10, "options": {}}
    assert told(checker) == ["environment: environment 'track' needs 'id' (which track) - add id = \"...\""]


def test_a_required_setting_without_a_word_about_it(checker: Checker) -> None:
    assert checker.setting(node({}), ParamSpec("width", "int", required=True), "the door") is None
    assert told(checker) == ["memory: the door needs 'width' - add width = 1"]


def test_left_out_and_without_a_default_is_left_out(checker: Checker) -> None:
    assert checker.setting(node({}), ParamSpec("width", "int"), "the door") is None
    assert told(checker) == []


@pytest.mark.parametrize(
    ("spec", "given", "kept"),
    [
        (ParamSpec("x", "float"), 3, 3.0),
        (ParamSpec("x", "duration"), "1000 steps", "1_000 steps"),
        (ParamSpec("x", "float[]"), [1, 2], [1.0, 2.0]),
        (ParamSpec("x", "table"), {"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}),
    ],
)
def test_values_come_out_in_one_form(checker: Checker, spec: ParamSpec, given: Any, kept: Any) -> None:
    found = checker.setting(node({"x": given}), spec, "the door")
    assert found is not None
    assert repr(plain(found)) == repr(kept)
    assert told(checker) == []


def test_a_schedule_in_place_of_a_number_is_checked_in_turn(checker: Checker) -> None:
    given = {"use": "e-greedy", "epsilon": {"use": "linear", "start": 1, "end": 0.1, "steps": 0}}
    part(checker, given, "exploration")
    (line,) = told(checker)
    assert line.startswith("exploration.epsilon.steps: steps: 0 ")


def test_a_table_without_use_changes_the_part_that_is_the_default(checker: Checker) -> None:
    found = part(checker, {"use": "e-greedy", "epsilon": {"steps": 7}}, "exploration")
    assert found["epsilon"] == {"use": "linear", "start": 1.0, "end": 0.05, "steps": 7}
    found = part(checker, {"use": "e-greedy", "epsilon": 0.5}, "exploration")
    assert found["epsilon"] == 0.5
    assert told(checker) == []


def test_parts_in_a_list_are_each_checked(checker: Checker) -> None:
    sound, unsound = {"use": "linear", "start": 0, "end": 1, "steps": 5}, {"use": "linear", "start": 0, "end": 1}
    spec = ParamSpec("schedules", "schedule[]")
    found = checker.setting(node({"schedules": [sound, 0.5, unsound, "x"]}), spec, "the door")
    assert found is not None
    assert len(found.value) == 2  # those that are tables; the others are told
    lines = told(checker)
    assert [line.partition(":")[0] for line in lines] == ["memory.schedules[3]", "memory.schedules[2]"]
    assert "schedule 'linear' needs 'steps'" in lines[1]


def test_a_section_left_out_has_its_defaults_or_is_nothing(checker: Checker) -> None:
    every = [ParamSpec("keep", "int", default=2), ParamSpec("why", "str")]
    found = checker.section(node({}), "checkpoint", every, "checkpoint")
    assert found is not None
    assert plain(found) == {"keep": 2}
    needed = [*every, ParamSpec("reward", "float", required=True)]
    assert checker.section(node({}), "validation", needed, "validation") is None
    assert told(checker) == []


def test_a_section_given_is_checked(checker: Checker) -> None:
    specs = [ParamSpec("keep", "int", default=2, ge=1)]
    found = checker.section(node({"checkpoint": {"kep": 1}}), "checkpoint", specs, "checkpoint")
    assert found is not None
    assert plain(found) == {"keep": 2}
    assert checker.section(node({"checkpoint": 7}), "checkpoint", specs, "checkpoint") is None
    assert told(checker) == [
        "memory.checkpoint.kep: checkpoint has no setting 'kep' - did you mean 'keep'? known: keep",
        "memory.checkpoint: checkpoint must be a table, got 7",
    ]


def test_unknown_keys_may_be_somebody_elses_business(checker: Checker) -> None:
    specs = [ParamSpec("keep", "int", default=2)]
    assert plain(Node(checker.settings(node({"other": 1}), specs, "x", None), *[Origin("data", "")] * 2)) == {"keep": 2}
    assert told(checker) == []


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("dense", 'memory: middleware must be a table such as middleware = { use = "dense" }, got "dense"'),
        (3, "memory: middleware must be a table, got 3"),
        ([{}], "memory: middleware must be a table, got [{}]"),
    ],
)
def test_what_is_no_table(checker: Checker, value: Any, line: str) -> None:
    assert checker.is_table(node({}), "middleware")
    assert not checker.is_table(node(value), "middleware")
    assert told(checker) == [line]


def test_what_is_wrong_with_a_default_is_told_where_the_preset_begins(checker: Checker) -> None:
    checker.wrong(Origin(DEFAULT, "default of agent 'x'"), "too small")
    assert told(checker) == ["the preset: default of agent 'x': too small"]


def test_the_names_of_a_kind(checker: Checker) -> None:
    assert checker.names("memory") == ["replay", "rollout"]
    assert checker.names("store") == []


def test_a_name_offered_twice_has_to_be_written_in_full(toys: ModuleType) -> None:
    registry: Registry = toys.registry()
    registry.register(toys.Toys(), "others")
    checker = Checker(registry, rooted({}, Origin("data", "the preset")))
    assert part(checker, {"use": "replay"}) is None
    (line,) = told(checker)
    assert line.startswith("memory.use: memory 'replay' is offered twice - write ")
    checker.found.clear()
    assert part(checker, {"use": "others/memory:replay"})["use"] == "others/memory:replay"
    assert told(checker) == []
