"""Being asked to stop, by Ctrl-C or by the system, without the wish getting lost."""

from __future__ import annotations

from signal import SIGINT, SIGTERM, signal

_asked: list[int] = []


def listen() -> None:
    """From now on SIGINT and SIGTERM raise `KeyboardInterrupt`, and are remembered.

    A library that swallows the exception (in a destructor or a callback, while it
    is being imported) cannot swallow the wish: a run looks here when it begins.
    """
    _asked.clear()
    for number in (SIGINT, SIGTERM):
        signal(number, _ask)


def asked() -> bool:
    """Whether a signal has come since `listen`."""
    return bool(_asked)


def _ask(number: int, _frame: object) -> None:
    _asked.append(number)
    raise KeyboardInterrupt
