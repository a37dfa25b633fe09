"""Every module has its test, where one looks for it."""

from __future__ import annotations

from pathlib import Path

ELSEWHERE: dict[str, str] = {}
"""Modules tested in another place: module -> why. Keep it empty if you can."""


def test_a_module_of_the_core_has_a_test_module(core_file, root):
    if core_file.path.name == "__init__.py" or core_file.module in ELSEWHERE:
        return
    inner = core_file.path.relative_to(root / "coachcore")
    if inner.parts[0] == "contracts":  # Protocols: nothing to run, one test asks the same of all of them
        inner = Path("contracts", "contracts.py")
    wanted = Path("tests", inner.parent, f"test_{inner.name.replace('__main__', 'main')}")
    assert (root / wanted).is_file(), f"{core_file} has no test: write {wanted}"


def test_a_plugin_has_tests(project, root):
    name, _ = project
    assert list((root / "plugins" / name / "tests").glob("**/test_*.py")), f"{name} has no tests"
