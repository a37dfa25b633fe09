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


@impl
def tox_add_env_config(env_conf: EnvConfigSet, state: State) -> None:  # noqa: ARG001 - the hook's signature
    """Install the core and the development tools everywhere, and every plugin but in the core's own environment."""
    name = env_conf.env_name or ""
    if name.startswith("."):
        return
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"]
    plugins = [] if name in WITHOUT_PLUGINS else sorted(ROOT.glob("plugins/*/pyproject.toml"))
    folders = [str(ROOT), *(str(plugin.parent) for plugin in plugins)]
    wanted = ("test", "learn") if name == "learn" else ("test",)
    tools = [*groups["dev"], *(groups["docs"] if name == "docs" else ()), *_beside(plugins, wanted)]
    lines = [f"-c {ROOT / 'constraints.txt'}", *tools, *(f"-e {folder}" for folder in folders)]
    env_conf.loaders.insert(0, MemoryLoader(deps="\n".join(lines)))


def _beside(plugins: list[Path], wanted: tuple[str, ...]) -> list[str]:
    """What plugins' tests need besides, from each one's own [dependency-groups]."""
    groups = [tomllib.loads(plugin.read_text(encoding="utf-8")).get("dependency-groups", {}) for plugin in plugins]
    return [requirement for group in groups for name in wanted for requirement in group.get(name, ())]
