"""What a run hands to its store: the newest checkpoint and the best policy, for other processes to read."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from warnings import warn

from coachcore.contracts.store import Store
from coachcore.deprecated import CoachWarning

ABOUT = ("preset.toml", "lock.json")
POINTERS = ("checkpoints/latest", "checkpoints/best")
CHANGING = {*ABOUT, *POINTERS}
"""What is put each time; all else in a run's place never changes."""


def publish(store: Store | None, folder: Path) -> None:
    """Bring `store` in step with the run in `folder`; a failure is one warning, and the next checkpoint tries again.

    Names in the store are the run folder's name and the path inside the folder,
    so what lies under ``<run>/`` written to files is a run folder that
    `coach evaluate` reads: ``preset.toml``, ``lock.json`` and ``checkpoints/`` as
    `coachcore.running.checkpoint` lays them out. Parts come first, then manifests
    (by their content, so none is ever written over), then the pointers, then what
    no pointer needs any more goes: a reader always finds a whole checkpoint, and
    one that was overtaken reads the pointer anew.
    """
    try:
        if store is not None:
            _put(store, folder)
    except Exception as error:  # noqa: BLE001 - a plugin's, over an outside system: no reason to lose hours of training
        told = " ".join(str(error).split()) or type(error).__name__
        hope = "the run goes on, and the next checkpoint tries again"
        warn(f"{folder}: could not be published in the store: {told} - {hope}", CoachWarning, stacklevel=2)


def _put(store: Store, folder: Path) -> None:
    home = folder.resolve().name
    there, files = set(store.names(f"{home}/")), _files(folder)
    for path, content in files.items():
        if path in CHANGING or f"{home}/{path}" not in there:
            store.put(f"{home}/{path}", content if isinstance(content, bytes) else content.read_bytes())
    for name in sorted(there - {f"{home}/{path}" for path in files}):
        store.delete(name)


def _files(folder: Path) -> dict[str, Path | bytes]:
    """Path in the run's place of the store -> what belongs there, in the order in which it is put."""
    found: dict[str, Path | bytes] = {name: folder / name for name in ABOUT}
    manifests, pointers = {}, {}
    for pointer in filter(lambda path: (folder / path).exists(), POINTERS):
        name = json.loads((folder / pointer).read_bytes())["name"]
        data = (folder / f"checkpoints/{name}.json").read_bytes()
        digest = sha256(data).hexdigest()
        own = f"{name.partition('+')[0]}-{digest[:12]}"
        parts = (f"checkpoints/parts/{part}.npy" for part in json.loads(data)["parts"])
        found |= {path: folder / path for path in parts}
        manifests[f"checkpoints/{own}.json"] = data
        pointers[pointer] = json.dumps({"name": own, "sha256": digest}).encode()
    return found | manifests | pointers
