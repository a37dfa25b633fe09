"""The child's side of a probe, run here in this process on packages that do no harm."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coachcore.registry.child import main
from coachcore.testing.made_up import FILTER

HOOKS = "from coachcore.registry.hookspecs import hookimpl\n@hookimpl\ndef coach_presets():\n    return ()\n"
CODE = {
    "__init__.py": "",
    "part.py": FILTER.format(name="plus", alias="PlusFilter", cls="Plus"),
    "hooks.py": HOOKS,
    "plain.py": "",
    "loud.py": "import os, sys\nprint('hello')\nprint('oh', file=sys.stderr)\nos.environ['CHILD_WAS_HERE'] = '1'\n",
    "bad.py": "\nraise OSError('disk')\n",
    "worse.py": "raise SystemExit\n",
}


@pytest.fixture
def said(make: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the child writes down about one value."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("CHILD_WAS_HERE", "0")
    make("childs", points="", code=CODE)

    def one(value: str) -> dict[str, Any]:
        report = tmp_path / "report"
        main([str(report), value])
        begun, found = [json.loads(line) for line in report.read_text().splitlines()]
        assert begun == {"begun": value}
        assert found.pop("value") == value
        return found  # type: ignore[no-any-return]

    yield one
    for name in [name for name in sys.modules if name.partition(".")[0] == "childs"]:
        del sys.modules[name]


QUIET = {"printed": "", "changed": []}


def test_a_part_says_what_it_is(said: Any) -> None:
    found = said("childs.part:Plus")
    assert found["error"] == ""
    assert (found["spec"]["name"], found["spec"]["params"][0]["name"]) == ("plus", "amount")


@pytest.mark.parametrize(("module", "hooks"), [("childs.hooks", True), ("childs.plain", False)])
def test_a_module_says_whether_it_has_hooks(said: Any, module: str, hooks: bool) -> None:
    assert said(module) == QUIET | {"error": "", "hooks": hooks}


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("childs.bad", "OSError: disk (bad.py:2)"),
        ("childs.worse", "SystemExit (worse.py:1)"),
        ("childs.gone", "ModuleNotFoundError: No module named 'childs.gone'"),
    ],
)
def test_an_error_says_where(said: Any, value: str, error: str) -> None:
    assert said(value) == QUIET | {"error": error}


def test_prints_and_variables_are_noted(said: Any) -> None:
    found = said("childs.loud")
    assert (found["printed"], found["changed"]) == ("hello\noh\n", ["CHILD_WAS_HERE"])
    assert os.environ["CHILD_WAS_HERE"] == "1"
