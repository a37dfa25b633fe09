"""What `--coach-conformance` collects: sound parts pass, a broken one fails with its rule."""

from __future__ import annotations

import pytest

from coachcore.testing.collect import manifests
from coachcore.testing.made_up import manifest_of

pytest_plugins = ("pytester",)

CODE = '''
"""A schedule."""
import os
import attrs
from coachcore.api import component, param

@component("schedule", "mine")
@attrs.frozen(kw_only=True)
class Mine:
    """The same always."""

    value: float = param(doc="what it is", ge=0)

    def __call__(self, step):
        {body}
        return self.value
'''


@pytest.fixture
def write(pytester, request, tmp_path):
    def written(body="pass", code=CODE, name="acme_collected"):
        package = pytester.path / "src" / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(code.format(body=body))
        text = f'[project]\nname = "{name}"\n[project.entry-points."coach.schedules"]\nmine = "{name}:Mine"\n'
        (pytester.path / "pyproject.toml").write_text(text)
        (pytester.path / "tests").mkdir()
        (package / "coach_plugin.json").write_text(manifest_of(name, [f"{name}:Mine"], package.parent))
        known = any(
            getattr(one, "__name__", "") == "coachcore.testing.plugin"
            for one in request.config.pluginmanager.get_plugins()
        )
        extra = [] if known else ["-p", "coachcore.testing.plugin"]
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *extra, "--coach-conformance", "tests")

    return written


def test_a_sound_part_passes_every_law(write, pytester):
    assert write().parseoutcomes() == {"passed": 4}
    assert manifests([pytester.path / "tests"]) == [pytester.path / "src" / "acme_collected" / "coach_plugin.json"]


def test_a_broken_part_fails_with_its_rule(write):
    run = write(body="return float('inf')")
    assert run.parseoutcomes() == {"passed": 3, "failed": 1}
    run.stdout.fnmatch_lines(["schedule:mine::every_step_has_a_finite_value: a schedule's value is finite*"])


def test_what_a_part_leaves_behind_fails(write):
    run = write(body="os.environ['COACH_LEFT'] = str(step)")
    assert run.parseoutcomes() == {"passed": 1, "failed": 3}
    run.stdout.fnmatch_lines(["*environment variables were changed: COACH_LEFT"])


def test_what_is_set_once_as_by_a_library_is_forgiven(write):
    code = CODE.replace("import os\n", "import os\nSEEN = []\n")
    body = "SEEN or SEEN.append(os.environ.setdefault('COACH_ONCE', '1'))"
    assert write(body=body, code=code).parseoutcomes() == {"passed": 4}


def test_a_part_that_cannot_be_made_fails(write):
    code = CODE.replace(
        "    def __call__", "    def __attrs_post_init__(self):\n        raise ValueError\n\n    def __call__"
    )
    run = write(code=code)
    assert run.parseoutcomes() == {"failed": 1}
    run.stdout.fnmatch_lines(["schedule:mine::it_can_be_made: no example could be made of it*"])


def test_a_folder_of_distributions_is_searched(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name / "src" / name).mkdir(parents=True)
        (tmp_path / name / "src" / name / "coach_plugin.json").touch()
    (tmp_path / "pyproject.toml").touch()
    assert [path.parent.name for path in manifests([tmp_path])] == ["one", "two"]
    assert [path.parent.name for path in manifests([tmp_path / "one"])] == ["one"]
