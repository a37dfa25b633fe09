"""A right store."""

from __future__ import annotations

from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import quote, unquote

import attrs

from coachcore.component import component, param
from coachcore.errors import BadCheckpoint

PARTIAL = ".partial"


@component("store", "shelf")
@attrs.frozen(kw_only=True)
class Shelf:
    """One file a name, written aside and renamed."""

    folder: str = param(default="published", doc="where the files lie")

    def put(self, name, data):
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, suffix=PARTIAL, delete=False) as aside:
            aside.write(data)
        Path(aside.name).replace(path)

    def get(self, name):
        try:
            return self.path(name).read_bytes()
        except FileNotFoundError:
            raise BadCheckpoint("nothing was put under this name", where=name) from None

    def names(self, prefix=""):
        found = (unquote(path.name) for path in Path(self.folder).glob("*") if path.suffix != PARTIAL)
        return iter(sorted(name for name in found if name.startswith(prefix)))

    def delete(self, name):
        self.path(name).unlink(missing_ok=True)

    def path(self, name):
        return Path(self.folder, quote(name, safe=""))
