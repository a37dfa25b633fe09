"""The kit as a pytest plugin, run by pytest itself in a folder of its own."""

from __future__ import annotations

import pytest

pytest_plugins = ("pytester",)

HONEST = """
from coachcore.testing.schedule import ScheduleConformance

class TestMine(ScheduleConformance):
    def make(self):
        from coachcore.component import Fixed, component
        import attrs

        @component("schedule", "mine")
        @attrs.frozen(kw_only=True)
        class Mine:
            def __call__(self, step):
                return 1.0

        return Mine()
"""
CHEAT = """
    def test_settings_never_change(self):
        pass
"""
LEAK = """
import os

def test_leaks(leak_guard):
    os.environ["COACH_LEAK"] = "1"
"""
BOXED = """
def test_box(coachbox):
    assert coachbox.run("list-plugins").code == 0
"""


def outcome(pytester: pytest.Pytester, *arguments: str) -> dict[str, int]:
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments).parseoutcomes()


def registered(config: pytest.Config) -> bool:
    return config.pluginmanager.has_plugin("coachcore.testing.plugin") or any(
        getattr(plugin, "__name__", "") == "coachcore.testing.plugin" for plugin in config.pluginmanager.get_plugins()
    )


@pytest.fixture(autouse=True)
def kit(request: pytest.FixtureRequest, pytester: pytest.Pytester) -> None:
    """Where the core was installed before it had the entry point, the plugin is named by hand."""
    if not registered(request.config):
        pytester.makeini("[pytest]\naddopts = -p coachcore.testing.plugin\n")


def test_a_cheat_fails_and_an_honest_class_does_not(pytester):
    pytester.makepyfile(test_honest=HONEST, test_cheat=HONEST + CHEAT)
    assert outcome(pytester, "test_honest.py") == {"passed": 4}
    run = pytester.runpytest_subprocess("-p", "no:cacheprovider", "test_cheat.py")
    assert run.parseoutcomes() == {"passed": 4, "failed": 1}
    run.stdout.fnmatch_lines(["TestMine-asks-all: test_settings_never_change of ScheduleConformance is overridden*"])


def test_the_fixtures(pytester):
    pytester.makepyfile(test_leak=LEAK, test_boxed=BOXED)
    assert outcome(pytester, "test_leak.py") == {"passed": 1, "errors": 1}
    assert outcome(pytester, "test_boxed.py") == {"passed": 1}


def test_the_flag_without_a_manifest_is_said(pytester):
    run = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--coach-conformance")
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    assert "run `coach plugin sync` there first" in run.stderr.str()


def test_without_the_flag_nothing_heavy_is_imported(pytester):
    code = (
        "import sys\ndef test_light():\n    assert 'numpy' not in sys.modules and 'coachcore.api' not in sys.modules\n"
    )
    pytester.makepyfile(test_light=code)
    assert outcome(pytester, "-p", "no:hypothesispytest", "test_light.py") == {"passed": 1}
