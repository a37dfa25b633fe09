"""What `coach list-plugins` must not import: it reads metadata and manifests only."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numpy", "scipy", "tensorflow", "keras", "jax", "gymnasium", "gym", "rich", "tensorboardX")
CODE = """
import sys
sys.argv = ["coach", *{arguments}]
from coachcore.cli.main import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print("IMPORTED", *sorted({{name.partition(".")[0] for name in sys.modules}}))
"""


@pytest.mark.parametrize(
    "arguments",
    [["list-plugins"], ["list-plugins", "--long"], ["list-plugins", "--json"], ["presets"], ["--help"]],
    ids=" ".join,
)
def test_reading_commands_import_no_plugin_and_nothing_heavy(arguments, projects):
    code = CODE.format(arguments=arguments)
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    imported = set(said.stdout.rpartition("IMPORTED")[2].split())
    assert "coachcore" in imported
    packages = {name.replace("-", "_") for name in projects}
    assert not imported & {*HEAVY, *packages}, (
        f"coach {' '.join(arguments)} imports {sorted(imported & {*HEAVY, *packages})}"
    )
