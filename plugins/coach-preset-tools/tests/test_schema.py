"""`coach schema`: what check accepts it accepts, and what it says comes from the table of settings."""

from __future__ import annotations

import json
import tomllib

import pytest

import coachcore
from coachcore.testing.toy_plugin import toy_preset


@pytest.fixture
def whole(coach):
    return json.loads(coach("schema").out)


@pytest.fixture
def accepts(whole, reader):
    return reader(whole)


def test_a_sound_preset_is_accepted_as_written_and_as_resolved(accepts, small):
    assert accepts(tomllib.loads(small.read_text()))
    assert accepts(coachcore.load_preset(small).resolved)
    assert accepts(toy_preset())
    assert accepts(coachcore.load_preset(toy_preset()).resolved)


def test_a_preset_that_extends_another_may_leave_out_what_that_one_says(accepts):
    assert accepts({"coach": 1, "extends": "small", "memory": {"capacity": 3}})
    assert accepts({"coach": 1, "extends": ["small"], "agent": {"learner": {"batch_size": 3}}})
    assert not accepts({"coach": 1, "memory": {"capacity": 3}})


WRONG = {
    "no format": {"coach": None},
    "unknown table": {"agnet": {}},
    "missing table": {"memory": None},
    "missing use": {"memory": {}},
    "unknown part": {"memory": {"use": "shelv"}},
    "part of another kind": {"memory": {"use": "pupil"}},
    "unknown setting": {"memory": {"use": "shelf", "size": 3}},
    "out of range": {"memory": {"use": "shelf", "capacity": 0}},
    "text for a number": {"memory": {"use": "shelf", "capacity": "3"}},
    "truth for a number": {"memory": {"use": "shelf", "capacity": True}},
    "no duration": {"memory": {"use": "shelf", "age": "soon"}},
    "another unit": {"memory": {"use": "shelf", "age": "3 episodes"}},
    "no choice": {"agent": {"use": "pupil", "loss": "hubris"}},
    "no slot": {"agent": {"use": "pupil", "network": {"heads": {"v": {"use": "toy-values"}}}}},
    "networks of an agent with one": {"agent": {"use": "pupil", "networks": {}}},
    "unknown setting of the learner": {"agent": {"use": "pupil", "learner": {"batch": 3}}},
    "schedule out of range": {"exploration": {"use": "chance", "epsilon": 2}},
    "schedule without what it needs": {"exploration": {"use": "chance", "epsilon": "half"}},
    "filter of something else": {"filters": {"action": [{"use": "times", "factor": 2}]}},
    "filters that are no list": {"filters": {"reward": {"use": "times", "factor": 2}}},
    "out of range in a filter": {"filters": {"reward": [{"use": "times", "factor": 0}]}},
    "text in a list of numbers": {"filters": {"reward": [{"use": "times", "factor": 1, "offset": ["1"]}]}},
    "schedule of the run": {"schedule": {"train": "0.5 steps"}},
    "evaluation": {"schedule": {"evaluate": {"episodes": 0}}},
    "validation": {"validation": {"reward": 3}},
    "count": {"environment": {"use": "toy-signs", "count": 0}},
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_refused_as_check_does(accepts, small, change):
    document = tomllib.loads(small.read_text()) | change
    document = {key: value for key, value in document.items() if value is not None}
    assert not accepts(document)
    with pytest.raises(coachcore.errors.Problems):
        coachcore.load_preset(document)


RIGHT = {
    "an alias": {"memory": {"use": "OldShelf", "capacity": 100}},
    "a full id": {"memory": {"use": "parts/memory:shelf"}},
    "a duration": {"memory": {"use": "shelf", "age": "1 step"}},
    "a number for a schedule": {"exploration": {"use": "chance", "epsilon": 0.5}},
    "a schedule": {"exploration": {"use": "chance", "epsilon": {"use": "Line", "end": 1}}},
    "some settings of the default schedule": {"exploration": {"use": "chance", "epsilon": {"start": 0.2}}},
    "a filter": {"filters": {"reward": [{"use": "Times", "factor": 2, "offset": [1, 2.5]}]}},
    "loss weights": {"agent": {"use": "pupil", "network": {"loss_weights": {"q": 0.5}}}},
}


@pytest.mark.parametrize("change", RIGHT.values(), ids=RIGHT)
def test_what_is_right_is_accepted_as_check_does(accepts, small, change):
    document = tomllib.loads(small.read_text()) | change
    assert coachcore.load_preset(document).resolved
    assert accepts(document)


def test_a_setting_says_all_that_it_is(whole):
    part = whole["definitions"]["memory.parts.shelf"]
    assert part["description"] == "Everything, side by side."
    assert part["properties"]["capacity"] == {
        "title": "capacity",
        "description": "transitions kept",
        "default": 500,
        "type": "integer",
        "minimum": 1,
    }
    loss = whole["definitions"]["agent.parts.pupil"]["properties"]["loss"]
    assert (loss["enum"], loss["default"], loss["description"]) == (
        ["huber", "mse"],
        "huber",
        "how an error becomes a loss",
    )


def test_names_come_with_what_they_are(whole):
    names = whole["definitions"]["memory"]["properties"]["use"]["anyOf"]
    assert {"const": "shelf", "description": "Everything, side by side."} in names
    assert {"OldShelf", "parts/memory:shelf", "parts:shelf"} <= set(names[-1]["enum"])


def test_a_slot_offers_the_heads_that_provide_it(whole):
    head = whole["definitions"]["agent.parts.pupil"]["properties"]["network"]["properties"]["heads"]["properties"]["q"]
    assert [name["const"] for name in head["allOf"][1]["properties"]["use"]["anyOf"][:-1]] == ["toy-values"]


def test_one_kind(coach, reader):
    accepts = reader(json.loads(coach("schema", "memory").out))
    assert accepts({"use": "shelf", "capacity": 3})
    assert not accepts({"use": "shelf", "capacity": 0})
    assert not accepts({"capacity": 3})


def test_a_kind_of_which_nothing_is_installed(coach, reader):
    accepts = reader(json.loads(coach("schema", "store").out))
    assert not accepts({"use": "anything"})


def test_two_parts_of_one_name_are_told_apart(coach, registry, reader):
    from coachcore.api import hookimpl

    class Again:
        @hookimpl
        def coach_memories(self):
            return [registry.load("memory", "parts/memory:shelf")]

    registry.register(Again(), "again")
    accepts = reader(json.loads(coach("schema", "memory").out))
    assert not accepts({"use": "shelf"})
    assert accepts({"use": "again/memory:shelf", "capacity": 3})
    assert not accepts({"use": "again/memory:shelf", "capacity": 0})


def test_wrong_usage(coach):
    assert coach("schema", "memory", "--preset").err.splitlines()[-1] == "Error: give a KIND or --preset, not both"
    code, _, err = coach("schema", "memori")
    assert code == 2
    assert err.startswith("coach: there is no kind of part called 'memori' - did you mean 'memory'?")
