"""What can go wrong, said in one line: where - what - what would work."""

from __future__ import annotations

from collections.abc import Iterable


class CoachError(Exception):
    """Something the user can mend; shown as one line, never as a traceback.

    `where` is a position (``file:line:col``), a TOML path or a part's id.
    The command line prints the message and exits with `exit_code`.
    """

    exit_code = 2

    def __init__(self, message: str, *, where: str = "") -> None:
        self.where = where
        self.message = message
        super().__init__(f"{where}: {message}" if where else message)


class UnknownName(CoachError):
    """A name that no installed plugin offers."""


class BadSetting(CoachError):
    """A value of the wrong type, out of range, or missing."""


class Mismatch(CoachError):
    """Two sound parts that do not fit each other (spaces, data order, slots)."""


class BadCheckpoint(CoachError):
    """A checkpoint that is missing, cut short or altered."""


class BrokenPlugin(CoachError):
    """A plugin that could not be loaded, and why."""


class BadData(CoachError):
    """An environment handed over NaN, an infinite number or a wrong shape."""


class Problems(CoachError):
    """Several errors found in one pass, one line each."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


class StopRun(Exception):
    """Raised by a hook or a recorder to end the run cleanly; `reason` is reported."""

    def __init__(self, reason: str = "stopped by a plugin") -> None:
        self.reason = reason
        super().__init__(reason)


def did_you_mean(name: str, known: Iterable[str], *, listed: int = 12) -> str:
    """What would work: the nearest of `known` first, then (a short list of) all.

    Computed only after a miss; difflib is imported here for that reason.
    """
    from difflib import get_close_matches

    names = sorted(set(known))
    if not names:
        return "none is installed"
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean '{near[0]}'? " if near else ""
    more = ", ..." if len(names) > listed else ""
    return f"{hint}known: {', '.join(names[:listed])}{more}"
