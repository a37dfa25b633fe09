"""The user's word on plugins: what a name that several offer shall mean, and what shall be left alone."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from coachcore.errors import CoachError, UnknownName, did_you_mean
from coachcore.registry.discover import canonical
from coachcore.registry.entry import Entry
from coachcore.specs import KINDS

VARIABLE = "COACH_CONFIG"
"""Names another configuration file; empty, there is none."""


class Word(NamedTuple):
    """A distribution or the full id of a part, and where the user wrote it."""

    text: str
    where: str

    def means(self, dist: str, part: str = "") -> bool:
        """Whether it speaks of `dist` as a whole or of its `part` (``kind:name``)."""
        named, _, own = self.text.partition("/")
        return canonical(named) == canonical(dist) and own in ("", part)


class Choice(NamedTuple):
    """What the user wrote. A blocked part is as if it were not there; of several preferred, the first word counts."""

    prefer: tuple[Word, ...] = ()
    block: tuple[Word, ...] = ()

    def blocked(self, dist: str, part: str = "") -> str:
        """Where the user wrote that a distribution, or its `part`, is blocked; empty where it is not."""
        return next((word.where for word in self.block if word.means(dist, part)), "")

    def applied(self, entry: Entry) -> Entry:
        """The entry, marked where it is blocked."""
        where = self.blocked(entry.dist, _part(entry))
        return entry._replace(state="disabled", problem=f"blocked by {where}") if where else entry

    def meant(self, candidates: Sequence[Entry]) -> tuple[Entry | None, str]:
        """The one of `candidates` that is meant, and where the user said so; (None, "") where that is open."""
        able = [entry for entry in candidates if entry.state != "disabled"] or candidates[:1]
        for word in self.prefer if len(able) > 1 else ():
            found = [entry for entry in able if word.means(entry.dist, _part(entry))]
            if len(found) == 1:
                return found[0], word.where
        return (able[0] if len(able) == 1 else None), ""


def _part(entry: Entry) -> str:
    return f"{entry.spec.kind}:{entry.spec.name}"


def word(text: Any, where: str) -> Word:
    """The word, which is a distribution or a full id; raises `CoachError` for anything else."""
    match = re.fullmatch(r"[\w.-]+(?:/([\w-]+):[\w.-]+)?", text) if isinstance(text, str) else None
    if match is None:
        said = "expected a distribution or a full id, as 'acme-coach' or 'acme-coach/filter:sign'"
        raise CoachError(f"{said}, got {text!r}", where=where)
    if match[1] not in (None, *KINDS):
        hint = did_you_mean(match[1], KINDS, listed=20)
        raise CoachError(f"there is no kind of part called '{match[1]}' - {hint}", where=where)
    return Word(text, where)


def spoken(texts: Iterable[str], where: str, known: Iterable[str]) -> Iterator[Word]:
    """The words of a command line; raises `UnknownName` for one that means none of `known` distributions and ids."""
    names = frozenset(known)
    for one in (word(text, where) for text in texts):
        if not any(one.means(*name.split("/")) for name in names):
            hint = did_you_mean(one.text, (name for name in names if ("/" in name) == ("/" in one.text)))
            raise UnknownName(f"nothing installed is called '{one.text}' - {hint}", where=where)
        yield one


def place() -> Path | None:
    """Where the user's configuration lies, whether or not it is there; None where `COACH_CONFIG` is empty."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named) if named else None
    chosen = os.environ.get("XDG_CONFIG_HOME", "")
    folders = {"win32": os.environ.get("APPDATA") or "~/AppData/Roaming", "darwin": "~/Library/Application Support"}
    other = chosen if Path(chosen).is_absolute() else "~/.config"  # a relative one is to be ignored
    folder = os.path.expanduser(folders.get(sys.platform, other))  # noqa: PTH111 - Path's raises where there is no home
    return Path(folder, "coach", "config.toml")


def configured() -> Choice:
    """What the user's configuration says of plugins; raises `CoachError` at the first thing wrong with it."""
    path = place()
    if path is None or (VARIABLE not in os.environ and not path.is_file()):
        return Choice()
    import tomllib

    try:
        text = path.read_text(encoding="utf-8")
        return _Reading(path, text).choice(tomllib.loads(text))
    except OSError as error:
        raise CoachError(f"cannot be read: {error.strerror}", where=str(path)) from None
    except ValueError as error:  # not TOML, or not UTF-8
        spot = re.search(r"line (\d+), column (\d+)", str(error))
        raise CoachError(
            f"is not TOML: {error}", where=":".join([str(path), *(spot.groups() if spot else ())])
        ) from None


class _Reading(NamedTuple):
    """A configuration file on its way to a `Choice`."""

    path: Path
    text: str

    def choice(self, data: Mapping[str, Any]) -> Choice:
        lists = self.known("[plugins]", self.known("the configuration", data, ("plugins",)), Choice._fields)
        for key, texts in lists.items():
            if not isinstance(texts, list):
                raise CoachError(f"{key} must be a list of texts, got {texts!r}", where=self.spot(key))
        return Choice(**{key: tuple(word(text, self.spot(key, text)) for text in lists[key]) for key in lists})

    def known(self, owner: str, table: Any, keys: Sequence[str]) -> Any:
        """`table`, or the table in it where `keys` is one key; raises `CoachError` for other keys."""
        if not isinstance(table, dict):
            raise CoachError(f"plugins must be a table, got {table!r}", where=self.spot("plugins"))
        for key in table.keys() - keys:
            raise CoachError(f"{owner} has no setting '{key}' - {did_you_mean(key, keys)}", where=self.spot(key))
        return table if len(keys) > 1 else table.get(keys[0], {})

    def spot(self, key: str, item: object = "") -> str:
        """``file:line:col`` of a key, or of a text in its list."""
        start = re.search(rf"^[^#\n]*?(?<![\w-])(?P<key>{re.escape(key)})(?![\w-])", self.text, re.MULTILINE)
        at = start.start("key") if start else 0
        within = re.compile(rf"[\"']{re.escape(str(item))}[\"']").search(self.text, at) if item else None
        at = within.start() if within else at
        return f"{self.path}:{self.text.count(chr(10), 0, at) + 1}:{at - self.text.rfind(chr(10), 0, at)}"
