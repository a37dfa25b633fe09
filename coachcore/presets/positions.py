"""Where each key and value of a TOML text stands, which the standard library's reader does not say."""

from __future__ import annotations

import tomllib
from bisect import bisect_right
from re import DOTALL, Match, Pattern
from re import compile as pattern
from typing import NamedTuple, cast

Path = tuple[str | int, ...]
"""Keys and list indices from the root: ``("filters", "observation", 0, "use")``."""

_SPACE = pattern(r"[ \t]*")
_BLANK = pattern(r"(?:[ \t\n]|#[^\n]*)*")
_KEY = pattern(r"""[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*'""")
_STRINGS = pattern(r'''"""(?:\\.|[^\\])*?"""{1,3}|\'\'\'.*?\'\'\'{1,3}|"(?:\\.|[^"\\\n])*"|'[^'\n]*\'''', DOTALL)
_PLAIN = pattern(r"[^,\]}#\n]+")


class Spot(NamedTuple):
    """A place in a text, counted from 1, in characters."""

    line: int
    column: int


class Positions(NamedTuple):
    """Where each path's key stands, and where its value begins; a list item has only the latter."""

    keys: dict[Path, Spot]
    values: dict[Path, Spot]


def positions(text: str) -> Positions:
    """The place of every key and value of `text`, which `tomllib` has already accepted.

    A table's value begins where its header or its first dotted key names it.
    """
    scan = _Scanner(text.replace("\r\n", "\n"))
    scan.document()
    return Positions(scan.keys, scan.values)


class _Scanner:
    """One walk over valid TOML; `at` is the offset reached."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.keys: dict[Path, Spot] = {}
        self.values: dict[Path, Spot] = {}
        self._lines = [0, *(i + 1 for i, letter in enumerate(text) if letter == "\n")]
        self._lengths: dict[Path, int] = {}  # of each array of tables

    def document(self) -> None:
        table: Path = ()
        self._skip(_BLANK)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_BLANK)

    def _header(self) -> Path:
        several = self.text.startswith("[[", self.at)
        self.at += 2 if several else 1
        table = self._dotted((), several=several)
        self.at += 2 if several else 1
        return table

    def _dotted(self, path: Path, *, several: bool = False) -> Path:
        """Read ``a.b.c`` below `path`; on the way, an array of tables stands for its last table."""
        while True:
            self._skip(_SPACE)
            spot, key = self._spot(), self._key()
            path = (*path, key)
            self.keys.setdefault(path, spot)
            self.values.setdefault(path, spot)
            self._skip(_SPACE)
            more = self.text.startswith(".", self.at)
            if several and not more:
                self._lengths[path] = self._lengths.get(path, 0) + 1
            if path in self._lengths:
                path = (*path, self._lengths[path] - 1)
                self.keys.setdefault(path, spot)
                self.values.setdefault(path, spot)
            if not more:
                return path
            self.at += 1

    def _key(self) -> str:
        raw = self._skip(_KEY)
        return str(tomllib.loads(f"key = {raw}")["key"]) if raw[0] in "\"'" else raw

    def _pair(self, table: Path) -> None:
        path = self._dotted(table)
        self.at += 1  # the equals sign
        self._skip(_SPACE)
        self._value(path)

    def _value(self, path: Path) -> None:
        self.values[path] = self._spot()
        first = self.text[self.at]
        if first == "[":
            self._array(path)
        elif first == "{":
            self._inline(path)
        else:
            self._skip(_STRINGS if first in "\"'" else _PLAIN)

    def _array(self, path: Path) -> None:
        self.at += 1
        self._skip(_BLANK)
        index = 0
        while self.text[self.at] != "]":
            self._value((*path, index))
            index += 1
            self._comma()
        self.at += 1

    def _inline(self, path: Path) -> None:
        self.at += 1
        self._skip(_BLANK)
        while self.text[self.at] != "}":
            self._pair(path)
            self._comma()
        self.at += 1

    def _comma(self) -> None:
        self._skip(_BLANK)
        if self.text[self.at] == ",":
            self.at += 1
            self._skip(_BLANK)

    def _skip(self, what: Pattern[str]) -> str:
        match = cast("Match[str]", what.match(self.text, self.at))
        self.at = match.end()
        return match[0]

    def _spot(self) -> Spot:
        line = bisect_right(self._lines, self.at)
        return Spot(line, self.at - self._lines[line - 1] + 1)
