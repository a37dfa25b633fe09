"""Importing in a child process: what it dies of, and who comes after it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from coachcore.registry.probe import probe
from coachcore.testing.made_up import FILTER

Make = Callable[..., Path]
PLUS = FILTER.format(name="plus", alias="PlusFilter", cls="Plus")


def test_one_that_dies_does_not_keep_the_others_from_being_tried(make: Make, tmp_path: Path) -> None:
    make("acme", points="", code={"__init__.py": "", "a.py": PLUS, "b.py": "import os; os._exit(1)"})
    findings = probe(["acme.a:Plus", "acme.b:Plus", "acme.a:Plus"], path=[str(tmp_path)])
    assert [finding.error for finding in findings] == ["", "ends the process with code 1 when imported", ""]
    assert "acme" not in sys.modules


def test_after_a_hang_nothing_more_is_tried(make: Make, tmp_path: Path) -> None:
    make("acme", points="", code={"__init__.py": "", "b.py": "import threading; threading.Event().wait()"})
    findings = probe(["acme.b:Plus", "acme.b:Minus"], path=[str(tmp_path)], limit=1.5)
    assert [finding.error for finding in findings] == [
        "hangs: not imported within 1.5 s",
        "not tried, since the one before it hangs",
    ]


def test_a_change_of_the_same_size_in_the_same_second_is_seen(make: Make, tmp_path: Path) -> None:
    make("acme", points="", code={"__init__.py": "", "a.py": PLUS})
    source = tmp_path / "acme" / "a.py"
    moment = (1_000_000_000, 1_000_000_000)
    os.utime(source, moment)
    (before,) = probe(["acme.a:Plus"], path=[str(tmp_path)])
    source.write_text(PLUS.replace("plus", "sulp"))
    os.utime(source, moment)
    (after,) = probe(["acme.a:Plus"], path=[str(tmp_path)])
    assert before.spec is not None
    assert after.spec is not None
    assert (before.spec.name, after.spec.name) == ("plus", "sulp")
