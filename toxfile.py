"""Fills tox's environments from the workspace itself: the core, the tools, and whatever lies in plugins/."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from tox.config.loader.memory import MemoryLoader
from tox.plugin import impl

if TYPE_CHECKING:
    from tox.config.sets import EnvConfigSet
    from tox.session.state import State

ROOT = Path(__file__).parent
WITHOUT_PLUGINS = ("core", "docs")
MEMORIES = {"coach-memories": "hdf5,minari,neighbours,parquet"}
# small enough for every test; other environments are skipped where missing
EXTRAS = {"coach-filters": "opencv", "coach-gymnasium": "minigrid", **MEMORIES}
LEARNING = {"coach-gymnasium": "box2d,minigrid", **MEMORIES}  # every preset


@impl
def tox_add_env_config(env_conf: EnvConfigSet, state: State) -> None:  # noqa: ARG001 - the hook's signature
    """Install the core and the development tools everywhere, and every plugin but in the core's own environment."""
    name = env_conf.env_name or ""
    if name.startswith("."):
        return
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"]
    plugins = [] if name in WITHOUT_PLUGINS else sorted(ROOT.glob("plugins/*/pyproject.toml"))
    folders = [str(ROOT), *(_with_extras(plugin.parent, LEARNING if name == "learn" else EXTRAS) for plugin in plugins)]
    tools = [*groups["dev"], *(groups["docs"] if name == "docs" else ())]
    lines = [f"-c {ROOT / 'constraints.txt'}", *tools, *(f"-e {folder}" for folder in folders)]
    env_conf.loaders.insert(0, MemoryLoader(deps="\n".join(lines)))


def _with_extras(folder: Path, extras: dict[str, str]) -> str:
    return f"{folder}[{extras[folder.name]}]" if folder.name in extras else str(folder)
