"""The presets are sound and learn what they say, in this process and with NumPy alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import coachcore

PRESETS = sorted(path.stem for path in (Path(__file__).parents[1] / "src/coach_toys/presets").glob("*.toml"))


@pytest.mark.parametrize("name", PRESETS)
def test_it_learns(name: str, tmp_path: Path) -> None:
    preset = coachcore.load_preset(name, seed=1)
    outcome = coachcore.run(preset, out=tmp_path / "run")
    wanted = preset.resolved["validation"]["reward"]
    assert outcome.best is not None
    assert coachcore.evaluate(outcome.folder, episodes=20).mean >= wanted


def test_no_backend_is_imported(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom coachcore.cli.main import invoke\n"
        f"code = invoke(['run', 'toy-corridor', '--out', {str(tmp_path / 'run')!r}])\n"
        "print(code, sorted({'tensorflow', 'keras', 'jax', 'gymnasium'} & set(sys.modules)))\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines()[-1] == "0 []"
