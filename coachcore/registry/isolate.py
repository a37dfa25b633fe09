"""Running a plugin's own code so that whatever it does costs one line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from io import TextIOBase
from typing import Any

from coachcore.errors import BrokenPlugin, StopRun


class Muffle(TextIOBase):
    """A text stream that keeps to itself what is written while `shut`, and passes it on afterwards.

    A plain buffer would not do: logging set up while a package is imported
    holds on to the stream it saw, and would be silent for good.
    """

    def __init__(self, stream: Any) -> None:
        super().__init__()
        self.stream = stream
        self.kept = ""
        self.shut = True

    def write(self, text: str) -> int:
        """Keep the text, or pass it on once open."""
        if self.shut:
            self.kept += text
            return len(text)
        return int(self.stream.write(text))

    def flush(self) -> None:
        """Flush the stream below, once open."""
        if not self.shut:
            self.stream.flush()

    def isatty(self) -> bool:
        """Whether the stream below is a terminal."""
        return bool(self.stream.isatty())

    def fileno(self) -> int:
        """The file descriptor of the stream below; raises as it does."""
        return int(self.stream.fileno())

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return str(self.stream.encoding)


@contextmanager
def muffled() -> Iterator[tuple[Muffle, Muffle]]:
    """Keep what Python code prints to standard output and error meanwhile."""
    streams = sys.stdout, sys.stderr
    out, err = Muffle(streams[0]), Muffle(streams[1])
    sys.stdout, sys.stderr = out, err
    try:
        yield out, err
    finally:
        sys.stdout, sys.stderr = streams
        for stream, below in ((out, streams[0]), (err, streams[1])):
            stream.shut = False
            if isinstance(below, Muffle):  # one inside another: the outer one wants to know too
                below.kept += stream.kept


@contextmanager
def isolated(owner: str, phase: str) -> Iterator[None]:
    """Turn whatever happens inside into `BrokenPlugin`, in one line; Ctrl-C and `StopRun` pass.

    `phase` completes "it could not be ...", such as ``imported``.
    """
    try:
        with muffled():
            yield
    except (KeyboardInterrupt, StopRun):
        raise
    except BaseException as error:
        raise BrokenPlugin(f"could not be {phase} - {cause(error)} - `coach doctor` says more", where=owner) from error


def cause(error: BaseException) -> str:
    """An exception in one line: its type and the first line of what it says."""
    text = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def load_object(value: str, owner: str) -> Any:
    """The object ``"package.module:name"`` (or a module), imported in isolation for plugin `owner`."""
    module, _, path = value.partition(":")
    with isolated(owner, "imported"):
        found: Any = import_module(module.strip())
        for name in filter(None, path.strip().split(".")):
            found = getattr(found, name)
    return found
