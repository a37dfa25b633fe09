"""Writes docs/reference from manifests, settings, hook specs, docstrings and the command line's own help.

    python docs/build.py            write what has changed
    python docs/build.py --check    write nothing; exit 1 when a page is out of date

Manifests and sources are read from the tree (plugins/*/src), so the pages do
not depend on what is installed, and no plugin is imported.
"""  # noqa: INP001 - a script of the documentation

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping

from builder import commands, errors, hooks, kind, others, part, settings
from builder.tree import DOCS, parts

from coachcore.specs import KINDS

HERE = DOCS / "reference"
PAGES: Mapping[str, Callable[[], Iterable[str]]] = {
    "index": others.index,
    "presets": others.installed_presets,
    "settings": settings.page,
    "commands": commands.page,
    "python": others.python,
    "hooks": hooks.page,
    "errors": errors.page,
}


def pages() -> dict[str, str]:
    """Every page of the reference by its path."""
    made = {f"{name}.md": lines() for name, lines in PAGES.items()}
    made |= {f"{name}.md": kind.page(name) for name in KINDS}
    made |= {one.page: part.page(one) for one in parts()}
    return {path: "\n".join(lines).rstrip("\n") + "\n" for path, lines in made.items()}


def stale(made: Mapping[str, str]) -> list[str]:
    """The pages that differ from what would be written, or should not be there."""
    there = {path.relative_to(HERE).as_posix(): path for path in HERE.rglob("*.md")}
    differing = [name for name, path in there.items() if name in made and path.read_text("utf-8") != made[name]]
    return sorted([*differing, *(set(made) ^ set(there))])


def write(made: Mapping[str, str]) -> list[str]:
    """Write what is out of date; the paths of those pages."""
    old = stale(made)
    for name in old:
        path = HERE / name
        if name in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(made[name], encoding="utf-8")
        else:
            path.unlink()
    return old


def main() -> int:
    """Write, or check; the exit code."""
    checking = "--check" in sys.argv[1:]
    told = "is out of date - run `python docs/build.py`" if checking else "written"
    found = (stale if checking else write)(pages())
    for name in found:
        sys.stdout.write(f"docs/reference/{name} {told}\n")
    return 1 if checking and found else 0


if __name__ == "__main__":
    sys.exit(main())
