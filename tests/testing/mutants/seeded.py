"""Wrong parts made from right ones: a few words of a right part's source are replaced, and the suite must notice.

`parts` holds right parts beside the kit's toys; `seeds` says what is replaced in
which, one file a part, with the law that is expected to notice.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import chdir
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, NamedTuple
from unittest.mock import patch

from coachcore.component import spec_of
from coachcore.testing import orchestrator, recorder, transport
from coachcore.testing.leaks import nothing_left_behind
from coachcore.testing.suites import checks

HERE = Path(__file__).parent
PATIENCE = 0.3
"""Seconds that the suite of transports waits here for a block that a wrong one has lost."""
NUMBERS = count()
Law = Callable[[Any, Path], None]


class Seed(NamedTuple):
    """One wrong part: the part, what is wrong with it, what is replaced by what, and which law notices.

    `law` is empty where none does, and `survives` says why; `error` is what the law
    ends with where that is not its own `AssertionError`.
    """

    file: str
    kind: str
    part: str
    settings: dict[str, Any]
    name: str
    law: str
    change: tuple[str, ...]
    error: str = "AssertionError"
    survives: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.part} {self.name}"

    def make(self) -> tuple[Any, ModuleType]:
        """The part, and the module that it lives in."""
        return _made(self.file, self.change, self.part, self.settings)


def seeds() -> list[Seed]:
    """All of them, kind by kind."""
    found = [seed for path in sorted((HERE / "seeds").glob("*.toml")) for seed in _read(path)]
    return sorted(found, key=lambda seed: seed.kind)


def originals() -> list[Seed]:
    """Every part that seeds are made from, with nothing replaced."""
    right = (seed._replace(name="as it is", law="", change=(), survives="it is right") for seed in seeds())
    return list({(seed.file, seed.part, str(seed.settings)): seed for seed in right}.values())


def _read(path: Path) -> Iterator[Seed]:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    for group in table["parts"]:
        for wrong in group["wrong"]:
            change = tuple(wrong.pop("change"))
            given = {"law": "", **wrong, "change": change}
            yield Seed(table["file"], group["kind"], group["part"], group.get("settings", {}), **given)


@cache
def _source(file: str) -> str:
    if file.endswith(".py"):
        return (HERE / "parts" / file).read_text(encoding="utf-8")
    spec = find_spec(file)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).read_text(encoding="utf-8")


def _made(file: str, change: tuple[str, ...], part: str, settings: dict[str, Any]) -> tuple[Any, ModuleType]:
    source = _source(file)
    for old, new in zip(change[::2], change[1::2], strict=True):
        assert source.count(old) == 1, f"{file}: {old!r} stands there {source.count(old)} times, once is wanted"
        source = source.replace(old, new)
    module = ModuleType(f"coach_seeded_{next(NUMBERS)}")
    sys.modules[module.__name__] = module  # attrs looks its classes' module up
    exec(compile(source, f"<{file}, changed>", "exec"), module.__dict__)
    return vars(module)[part](**settings), module


def laws(kind: str, module: ModuleType) -> dict[str, Law]:
    """The laws of a kind as `pytest --coach-conformance` asks them, with what the kit's classes ask besides.

    An author's own test says how a record is read, and lets an orchestrator start things.
    """
    if kind == "recorder":
        return _of_recorders(getattr(module, "read", lambda _folder: None))
    found = {check.name: check.run for check in checks(kind)}
    if kind == "orchestrator":
        found["a_deployment_can_be_watched_and_undone"] = lambda part, _folder: (
            orchestrator.a_deployment_can_be_watched_and_undone(part)
        )
    return found


def _of_recorders(read: recorder.Read) -> dict[str, Law]:
    plain = (recorder.check_reads_only, recorder.check_mark_is_plain)
    reading = (recorder.check_survives, recorder.check_goes_on, recorder.check_starts_anew, recorder.check_equal)
    found: dict[str, Law] = {"check_settings": lambda part, _folder: recorder.check_settings(part)}
    found |= {check.__name__: lambda part, folder, c=check: c(part, folder / "run") for check in plain}
    return found | {check.__name__: lambda part, folder, c=check: c(part, folder, read) for check in reading}


def broken(seed: Seed) -> dict[str, BaseException]:
    """The laws that the part breaks, with what they say: of a seed that names a law that one alone is asked."""
    part, module = seed.make()
    assert spec_of(part).kind == seed.kind
    found: dict[str, BaseException] = {}
    for name, law in laws(seed.kind, module).items():
        if seed.law in ("", name) and (error := _asked(law, part, module)) is not None:
            found[name] = error
    for left in vars(module).get("OPEN", ()):  # the files that a wrong part never closes
        left.close()
    return found


def _asked(law: Law, part: Any, module: ModuleType) -> Exception | None:
    """Hold `part` to a law in a folder of its own, where it leaves nothing behind."""
    with TemporaryDirectory(prefix="coach-") as folder, chdir(folder), patch.object(transport, "LONG", PATIENCE):
        try:
            with nothing_left_behind():
                law(part, Path(folder))
        except Exception as error:
            return error
    return None
