"""Presets by name: every ``*.toml`` in the folders that plugins offer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from coachcore.errors import CoachError


class Shelf(Mapping[str, Path]):
    """Preset name -> file. A name offered twice is on the shelf, but taking it raises `CoachError`."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._found: dict[str, list[Path]] = {}
        for folder in dict.fromkeys(folders):
            for path in sorted(folder.glob("*.toml")):
                self._found.setdefault(path.stem, []).append(path)

    def __getitem__(self, name: str) -> Path:
        paths = self._found[name]
        if len(paths) > 1:
            listed = ", ".join(map(str, paths))
            raise CoachError(f"two presets have this name: {listed} - give the path of the one you mean", where=name)
        return paths[0]

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._found))

    def __len__(self) -> int:
        return len(self._found)

    def all(self, name: str) -> tuple[Path, ...]:
        """Every file of that name, for listings that show a clash."""
        return tuple(self._found.get(name, ()))
