"""A right recorder."""

from __future__ import annotations

import attrs

from coachcore.component import component, param


@component("recorder", "diary")
@attrs.frozen(kw_only=True)
class Diary:
    """A line an event: its kind, its step and what it says; a mark is the length in bytes."""

    file: str = param(default="diary.txt", doc="name of the file")

    def open(self, folder, info, mark=None):
        return Page(folder / self.file, int(mark or 0))


class Page:
    """An open diary."""

    def __init__(self, path, length):
        self.out = path.open("r+b" if length else "wb")
        self.out.seek(length)
        self.out.truncate()

    def event(self, event):
        words = sorted(event.data.items())
        self.out.write(f"{event.kind} {event.step} {words}\n".encode())

    def mark(self):
        self.out.flush()
        return self.out.tell()

    def close(self):
        self.out.close()


def read(folder):
    """What a diary holds."""
    return (folder / "diary.txt").read_text()
