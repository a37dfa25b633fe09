"""Which parts a command line argument means: a name, KIND/NAME or a full id."""

from __future__ import annotations

from coachcore.errors import UnknownName, did_you_mean
from coachcore.registry.entry import Entry
from coachcore.registry.registry import Registry
from coachcore.specs import KINDS


def find(registry: Registry, text: str) -> tuple[Entry, ...]:
    """Every part that `text` may mean, of any kind where it names none; raises `UnknownName` where there is none."""
    dist, kind, name = _split(text)
    if kind:
        registry.entries(kind)  # an unknown kind says so
    pool = [entry for entry in registry.entries() if kind in ("", entry.spec.kind) and dist in ("", entry.dist)]
    found = tuple(entry for entry in pool if name in (entry.spec.name, *entry.spec.aliases))
    if not found:
        known = {entry.spec.name for entry in pool}
        known |= {alias for entry in pool for alias in entry.spec.aliases if not name.islower()}
        raise UnknownName(f"no {kind or 'part'} is called '{name}' - {did_you_mean(name, known)}")
    return found


def _split(text: str) -> tuple[str, str, str]:
    """``dist/kind:name``, ``dist:name``, ``kind/name`` or ``name`` -> dist, kind, name; empty where not given."""
    front, colon, name = text.rpartition(":")
    if colon:
        dist, _, kind = front.partition("/")
        return (dist, kind, name) if kind or dist not in KINDS else ("", dist, name)
    kind, _, name = text.rpartition("/")
    return "", kind, name
