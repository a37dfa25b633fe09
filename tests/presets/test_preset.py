"""A loaded preset: what it holds, that it can be loaded again, and what loading imports."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from coachcore.api import hookimpl
from coachcore.errors import Problems
from coachcore.presets.preset import load_preset
from coachcore.presets.writer import dump
from coachcore.registry.registry import Registry


@pytest.mark.parametrize("name", ["track-chooser", "track-walker"])
def test_the_resolved_preset_is_a_preset_that_says_the_same(name: str, parts: Registry, tmp_path: Path) -> None:
    preset = load_preset(name, registry=parts)
    again = tmp_path / f"{name}.toml"
    again.write_text(dump(preset.resolved))
    assert load_preset(again, registry=parts).resolved == preset.resolved
    assert load_preset(preset.resolved, registry=parts).resolved == preset.resolved
    assert load_preset(preset.document, registry=parts).resolved == preset.resolved


def test_whole_numbers_become_floats_where_floats_are_wanted(parts: Registry) -> None:
    preset = load_preset("track-chooser", sets=["agent.discount=1", "schedule.heatup='2000 step'"], registry=parts)
    assert repr(preset.resolved["agent"]["discount"]) == "1.0"
    assert preset.resolved["schedule"]["heatup"] == "2_000 steps"
    assert preset.document["agent"]["discount"] == 1


def test_every_resolved_value_has_an_origin(parts: Registry) -> None:
    preset = load_preset("track-chooser", registry=parts)
    assert str(preset.origins["filters.observation[0].factor[1]"]).endswith("track-chooser.toml:26:16")
    assert str(preset.origins["engine.use"]) == "default engine"
    assert str(preset.origins["recorders[0].use"]) == "default recorders"


def test_a_name_that_is_offered_twice(toys: ModuleType) -> None:
    registry: Registry = toys.registry()
    registry.register(SimpleNamespace(coach_exploration_policies=hookimpl(lambda: (toys.Greedy,))), "more")
    with pytest.raises(
        Problems, match=r"exploration 'greedy' is offered twice - write 'more/exploration:greedy' or 'toys/"
    ):
        load_preset("track-chooser", sets=["exploration.use=greedy"], registry=registry)
    names = {
        "more/exploration:greedy": "more/exploration:greedy",
        "toys:greedy": "toys/exploration:greedy",
        "toys:e-greedy": "e-greedy",
    }
    for name, resolved in names.items():
        preset = load_preset("track-chooser", sets=[f"exploration.use='{name}'"], registry=registry)
        assert preset.resolved["exploration"]["use"] == resolved


def test_loading_imports_no_numpy_and_no_plugin(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('coach = 1\n[agent]\nuse = "dqn"\n[memory]\nuse = "experience-replay"\n')
    program = (
        "import sys\n"
        "from coachcore.errors import Problems\n"
        "from coachcore.presets.preset import load_preset\n"
        "import coachcore.presets.build, coachcore.cli.check\n"
        "try:\n    load_preset('mine.toml', sets=['memory.capacity=5'])\n"
        "except Problems as problems:\n    assert 'environment' in str(problems)\n"
        "heavy = {'numpy', 'tensorflow', 'keras', 'gymnasium', 'scipy'}\n"
        "print(sorted(name for name in sys.modules if name in heavy or name.startswith('coach_')))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_gallery_of_installed_presets_is_toml(toys: ModuleType) -> None:
    for file in sorted(toys.PRESETS.glob("*.toml")):
        assert tomllib.loads(file.read_text())["coach"] == 1
