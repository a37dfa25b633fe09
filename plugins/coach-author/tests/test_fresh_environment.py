"""The whole path in an environment of its own, offline: built, installed from wheels, tested, listed, used in a run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from coach_author.create import Wanted, new

ROOT = Path(__file__).resolve().parents[3]
NEEDED = ("attrs", "click", "numpy", "pluggy", "pytest")
USED = {
    "filter": {"filters": {"reward": [{"use": "acme-filter"}]}},
    "environment": {"environment": {"use": "acme-environment", "length": 3}},
}
RUN = """
import sys
import coachcore
from coachcore.testing.toy_plugin import ToyPlugin, toy_preset

coachcore.register(ToyPlugin(), "toys")
outcome = coachcore.run(coachcore.load_preset(toy_preset(**{changes}, recorders=[])), out=sys.argv[1])
print("best", outcome.best)
"""


def called(*command, cwd, **variables):
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A folder with an environment that holds the core and coach-author, from wheels; skipped where that cannot be."""
    if shutil.which("uv") is None:
        pytest.skip("uv is not installed: it makes the environment")
    folder = tmp_path_factory.mktemp("fresh")
    for source in (ROOT, ROOT / "plugins" / "coach-author"):
        code, said = called("uv", "build", "--offline", "--wheel", "-q", "-o", folder / "wheels", source, cwd=folder)
        assert code == 0, said
    code, said = called("uv", "venv", "--offline", "-q", "-p", sys.executable, folder / "venv", cwd=folder)
    assert code == 0, said
    installed(folder, *NEEDED, skip=True)
    installed(folder, "--no-deps", *sorted((folder / "wheels").glob("*.whl")))
    return folder


def installed(folder, *what, skip=False):
    python = folder / "venv" / "bin" / "python"
    code, said = called("uv", "pip", "install", "--offline", "-q", "--python", python, *what, cwd=folder)
    if code and skip:
        pytest.skip(f"uv's cache lacks {', '.join(NEEDED)}, and this test goes to no network")
    assert code == 0, said


@pytest.mark.slow
@pytest.mark.parametrize("kind", USED)
def test_from_the_command_to_a_run(kind, fresh):
    bin_ = fresh / "venv" / "bin"
    code, said = called(bin_ / "coach", "plugin", "new", f"acme-{kind}", "--kind", kind, cwd=fresh)
    assert code == 0, said
    folder = fresh / f"acme-{kind}"
    code, said = called("uv", "build", "--offline", "--wheel", "-q", "-o", folder / "dist", folder, cwd=fresh)
    assert code == 0, said
    installed(fresh, "--no-deps", *folder.glob("dist/*.whl"))
    code, said = called(bin_ / "coach", "list-plugins", cwd=fresh)
    assert code == 0, said
    assert f"acme-{kind} 0.1.0" in said
    code, said = called(bin_ / "coach", "plugin", "validate", folder, cwd=fresh)
    assert (code, said) == (0, f"acme-{kind}: sound\n")
    code, said = called(bin_ / "python", "-m", "pytest", "-q", "--coach-conformance", cwd=folder)
    assert code == 0, said
    script = RUN.replace("{changes}", repr(USED[kind]))
    code, said = called(bin_ / "python", "-c", script, fresh / f"run-{kind}", cwd=fresh)
    assert code == 0, said
    assert "best" in said


def test_every_template_travels_in_the_wheel(fresh):
    """All kinds can be written from the installed wheel, not only from the source."""
    from importlib.metadata import files
    from zipfile import ZipFile

    (wheel,) = (fresh / "wheels").glob("coach_author-*.whl")
    here = Path(sys.modules["coach_author"].__path__[0])
    source = {str(path.relative_to(here.parent)) for path in here.rglob("*") if path.suffix in (".tmpl", ".toml")}
    assert source <= set(ZipFile(wheel).namelist())
    assert files("coach-author") is not None
    assert new(Wanted("acme-store", "store", "acme-store"), fresh).is_dir()
