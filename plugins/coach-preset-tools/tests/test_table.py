"""The table of settings at each place of a preset."""

from __future__ import annotations

import pytest

from coach_preset_tools.table import described, difference, specs_at
from coachcore.api import ParamSpec


@pytest.mark.parametrize(
    ("path", "use", "names"),
    [
        ((), None, ["coach", "summary", "seed"]),
        (("memory",), "shelf", ["capacity", "age"]),
        (("memory",), "OldShelf", ["capacity", "age"]),
        (("memory",), "nothing", []),
        (("memory",), None, []),
        (("filters", "reward", 0), "times", ["factor", "offset"]),
        (("exploration", "epsilon"), "line", ["start", "end"]),
        (("schedule", "evaluate"), None, ["every", "episodes"]),
        (("validation",), None, ["reward", "within"]),
        (("somewhere", "else"), None, []),
    ],
)
def test_settings_by_place(registry, path, use, names):
    assert list(specs_at(path, use, registry)) == names


def test_the_count_stands_beside_the_settings_of_an_environment(registry):
    assert next(iter(specs_at(("environment",), "toy-signs", registry))) == "count"


@pytest.mark.parametrize("path", [("agent", "network"), ("agent", "networks", "actor")])
def test_settings_of_networks(registry, path):
    assert {"merge", "torso", "l2"} <= set(specs_at(path, None, registry))


def test_in_words():
    assert described(ParamSpec("a", "int", doc="how `many`\nthere are", unit="steps")) == "how many there are (steps)"
    assert described(ParamSpec("a", "int", doc="steps it takes", unit="steps")) == "steps it takes"


def test_the_difference_of_texts():
    assert difference("a\nb\n", "a\nc\n", "x", "new") == "--- x\n+++ x (new)\n@@ -1,2 +1,2 @@\n a\n-b\n+c"
    assert difference("a\n", "a\n", "x", "new") == ""
