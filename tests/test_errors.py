"""Errors: one line, a position in front, and what would work."""

from __future__ import annotations

import pickle  # only to see that an error survives the way back from a child process

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore import errors
from coachcore.errors import CoachError, Problems, StopRun, did_you_mean


def test_position_comes_first_and_only_where_there_is_one():
    assert str(CoachError("it is too high", where="a.toml:3:7")) == "a.toml:3:7: it is too high"
    assert str(CoachError("it is too high")) == "it is too high"
    error = CoachError("m", where="w")
    assert (error.where, error.message, error.exit_code) == ("w", "m", 2)


def test_every_error_is_a_coach_error_and_a_stop_is_not():
    family = {name for name, item in vars(errors).items() if isinstance(item, type) and issubclass(item, CoachError)}
    assert family == {
        "BadCheckpoint", "BadData", "BadSetting", "BrokenPlugin", "CoachError", "Mismatch", "Problems", "UnknownName",
    }  # fmt: skip
    assert not issubclass(StopRun, CoachError)


def test_problems_keep_their_lines_in_order():
    found = Problems(line for line in ("first", "second"))
    assert found.lines == ("first", "second")
    assert str(found) == "first\nsecond"


def test_a_stop_carries_its_reason():
    assert StopRun("enough").reason == "enough"
    assert str(StopRun()) == "stopped by a plugin"


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("dqm", ["ppo", "dqn"], "did you mean 'dqn'? known: dqn, ppo"),
        ("zebra", ["dqn", "ppo"], "known: dqn, ppo"),
        ("dqn", [], "none is installed"),
        ("b", ["a", "a", "c"], "known: a, c"),
        ("rings", ["strings"], "did you mean 'strings'? known: strings"),
    ],
)
def test_did_you_mean_by_hand(name, known, said):
    assert did_you_mean(name, known) == said


def test_did_you_mean_lists_no_more_than_asked():
    assert did_you_mean("#", [f"p{n}" for n in range(4)], listed=3) == "known: p0, p1, p2, ..."
    assert did_you_mean("#", [f"p{n}" for n in range(3)], listed=3) == "known: p0, p1, p2"


@given(st.lists(st.text("abc", min_size=1), min_size=1), st.data())
def test_a_known_name_is_its_own_nearest(known, data):
    name = data.draw(st.sampled_from(known))
    assert did_you_mean(name, known).startswith(f"did you mean '{name}'? ")


@pytest.mark.parametrize("kind", [CoachError, errors.BadSetting])
def test_an_error_keeps_its_words_across_processes(kind):
    again = pickle.loads(pickle.dumps(kind("the words")))
    assert (type(again), str(again)) == (kind, "the words")
