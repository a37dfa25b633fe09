"""What `coach list-plugins` and `coach check` must not import: they read metadata and manifests only."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numpy", "scipy", "tensorflow", "keras", "jax", "gymnasium", "gym", "rich", "tensorboardX")
SLOW = ("email", "zipfile", "csv", "dataclasses")  # what `importlib.metadata` brings, and takes a listing's time
WRONG = "coach = 1\n" + "\n".join(f"settign_{number} = {number}" for number in range(20))
CODE = """
import sys
sys.argv = ["coach", *{arguments}]
from coachcore.cli.main import main
try:
    main()
except SystemExit as end:
    assert end.code in {codes}, end.code
print("IMPORTED", *sorted({{name.partition(".")[0] for name in sys.modules}}))
"""


@pytest.mark.parametrize(
    "arguments",
    [["list-plugins"], ["list-plugins", "--long"], ["list-plugins", "--json"], ["presets"], ["--help"]],
    ids=" ".join,
)
def test_reading_commands_import_no_plugin_and_nothing_heavy(arguments, projects):
    _, imported = run(arguments, (None, 0))
    assert "coachcore" in imported
    assert not imported & unwanted(projects), f"coach {' '.join(arguments)} imports {imported & unwanted(projects)}"
    assert not imported & {*SLOW}, f"coach {' '.join(arguments)} imports {imported & {*SLOW}}"


def test_checking_imports_no_plugin_and_nothing_heavy(projects, tmp_path):
    """Of a preset with 20 errors, and of an installed one (or the error that it is not installed)."""
    (tmp_path / "wrong.toml").write_text(WRONG, encoding="utf-8")
    said, imported = run(["check", str(tmp_path / "wrong.toml")], (2,))
    assert said.count("has no setting 'settign_") == 20
    assert not imported & {*unwanted(projects), *SLOW}
    _, imported = run(["check", "cartpole-dqn"], (None, 0, 2))
    assert "coachcore" in imported
    assert not imported & {*unwanted(projects), *SLOW}


def run(arguments, codes):
    """What a command prints, and the packages it has imported when it ends with one of `codes`."""
    code = CODE.format(arguments=arguments, codes=codes)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said, _, names = done.stdout.rpartition("IMPORTED")
    return said, set(names.split())


def unwanted(projects):
    return {*HEAVY, *(name.replace("-", "_") for name in projects)}
