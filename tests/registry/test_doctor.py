"""Probing in a child process: every fault is told apart, and none reaches this process."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from coachcore.registry.doctor import Report, examine
from coachcore.registry.registry import Registry
from coachcore.testing.made_up import FILTER, manifest_of

Make = Callable[..., Path]
PLUS = FILTER.format(name="plus", alias="PlusFilter", cls="Plus")


@pytest.fixture
def examined(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Report]:
    """The report on one made-up distribution of one filter, `plus`."""
    monkeypatch.syspath_prepend(tmp_path)

    def report(code: str, limit: float = 60.0) -> Report:
        make("acme", points={"plus": "acme:Plus"}, code=code)
        paths = [str(tmp_path)]
        (one,) = examine(Registry(paths), limit=limit)
        return one

    return report


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("import gone_for_good", "ModuleNotFoundError: No module named 'gone_for_good' (__init__.py:1)"),
        ("def f(:", "SyntaxError: "),
        ("import sys\nsys.exit('bye')", "SystemExit: bye (__init__.py:2)"),
        ("import os; os._exit(7)", "ends the process with code 7 when imported"),
        ("import os; os._exit(0)", "ends the process with code 0 when imported"),
        ("import os; os.kill(os.getpid(), 11)", "kills the process when imported (SIGSEGV)"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("x = 1", "AttributeError: module 'acme' has no attribute 'Plus'"),
        ("class Plus: pass", "acme:Plus is not a class marked by @component"),
        (
            PLUS.replace('"plus"', '"minus"'),
            "acme:Plus calls itself filter 'minus', its entry point says filter 'plus'",
        ),
        (PLUS.replace('"reward"', "object()"), "TypeError: Object of type object is not JSON serializable"),
    ],
)
def test_every_fault_is_named(examined: Callable[..., Report], code: str, fault: str) -> None:
    report = examined(code)
    assert report.faults[0].startswith(f"plus: {fault}")
    assert len(report.faults) == 1


def test_a_plugin_that_hangs_is_ended(examined: Callable[..., Report]) -> None:
    report = examined("import threading\nthreading.Event().wait()", limit=1.5)
    assert report.faults == ("plus: hangs: not imported within 1.5 s",)


def test_a_sound_plugin_is_sound(examined: Callable[..., Report]) -> None:
    assert examined(PLUS) == Report("acme", "1.0", (), ())


def test_prints_and_changed_variables_are_remarks(examined: Callable[..., Report]) -> None:
    code = "import os\nprint('hello there')\nos.environ['ACME_WAS_HERE'] = '1'\n" + PLUS
    report = examined(code)
    assert report.faults == ()
    assert report.remarks == (
        "plus: prints when imported: 'hello there'",
        "plus: changes environment variables when imported: ACME_WAS_HERE",
    )
    assert "ACME_WAS_HERE" not in os.environ


def test_a_manifest_out_of_step_is_a_fault(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    package = make("acme", points={"plus": "acme:Plus"}, code=PLUS)
    (package / "coach_plugin.json").write_text(manifest_of("acme", ["acme:Plus"], tmp_path))
    paths = [str(tmp_path)]
    assert [report.faults for report in examine(Registry(paths))] == [()]
    (package / "__init__.py").write_text(PLUS.replace("default=1.0", "default=2.25"))  # longer, so byte-code is stale
    faults = [report.faults for report in examine(Registry(paths))]
    assert faults == [("plus: coach_plugin.json is out of step - run `coach plugin sync`",)]


@pytest.mark.parametrize(
    ("changes", "faults", "remarks"),
    [
        ({"api": "1.9"}, (), ("plus: made for Coach API 1.9, this core has 1.0 - a newer coachcore may be needed",)),
        ({"api": "3.0"}, ("plus: made for Coach API 3.0, this core has 1.0 - install versions that go together",), ()),
        ({"dist": "other"}, ("coach_plugin.json: written for 'other' - run `coach plugin sync`",), ()),
    ],
)
def test_what_the_manifest_says_counts_too(
    make: Make,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, str],
    faults: object,
    remarks: object,
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    package = make("acme", points={"plus": "acme:Plus"}, code=PLUS)
    manifest = json.loads(manifest_of("acme", ["acme:Plus"], tmp_path)) | changes
    (package / "coach_plugin.json").write_text(json.dumps(manifest))
    (report,) = examine(Registry([str(tmp_path)]))
    assert (report.faults, report.remarks) == (faults, remarks)
