"""`coach doctor`: exit codes and what is told."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from coachcore.testing.made_up import FILTER

PLUS = FILTER.format(name="plus", alias="PlusFilter", cls="Plus")
CHECKS = """
from coachcore.registry.hookspecs import hookimpl

def unreachable():
    return {answer}

@hookimpl
def coach_doctor_checks():
    return {{"server": unreachable}}
"""


def test_all_is_well(shop: Any) -> None:
    shop.add("acme", points={"plus": "acme:Plus"}, code=PLUS)
    said = shop("doctor")
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0].startswith("coach ")
    assert ", Python 3." in lines[0]
    assert "tensorflow " in lines[1]
    assert lines[2].startswith("threads: OPENBLAS_NUM_THREADS=")
    assert lines[3:] == ["ok      acme 1.0", "1 distribution tried, none broken"]


def test_what_is_broken_is_named_and_the_rest_is_tried(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.add("acme", points={"plus": "acme:Plus"}, code="print('hello')\n" + PLUS)
    shop.add("hurt", points={"minus": "hurt:Minus"}, code="import sys; sys.exit(3)")
    monkeypatch.setenv("COACH_CONFIG", "mine.toml")
    said = shop("doctor")
    assert said.code == 1
    assert said.out.splitlines()[3:] == [
        "ok      acme 1.0",
        "        remark: plus: prints when imported: 'hello'",
        "BROKEN  hurt 1.0",
        "        minus: SystemExit: 3 (__init__.py:1)",
        "        way out: mend, upgrade or uninstall it, or leave it out: coach --block",
        '          hurt before a command, or for good block = ["hurt"] under [plugins] in',
        "          mine.toml",
        "2 distributions tried, 1 broken",
    ]


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        ("''", 0, ""),
        ("'does not answer'", 1, "acme: server: does not answer\n"),
        ("1 / 0", 1, "acme: could not be checked (server) - ZeroDivisionError: division by zero"),
    ],
)
def test_plugins_bring_checks_of_their_own(shop: Any, answer: str, code: int, said: str) -> None:
    shop.add("acme", points="[coach.plugins]\nacme = acme\n", code=CHECKS.format(answer=answer))
    result = shop("doctor")
    assert result.code == code
    assert said in result.out


def test_checks_that_cannot_be_asked_for_are_told(shop: Any) -> None:
    code = CHECKS.format(answer="''").replace('{"server": unreachable}', "3")
    shop.add("acme", points="[coach.plugins]\nacme = acme\n", code=code)
    result = shop("doctor")
    assert result.code == 1
    assert "acme: could not be asked (coach_doctor_checks) - TypeError" in result.out


def test_what_is_not_installed_is_said_so(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("coachcore.cli.doctor"), "PACKAGES", ("not-installed-anywhere", "click"))
    assert shop("doctor").out.splitlines()[1].startswith("not-installed-anywhere not installed, click ")
