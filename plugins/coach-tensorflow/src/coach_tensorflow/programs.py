"""Compiled programs kept for the next run: where, how many, and what to do when one is damaged."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from zlib import crc32

FLAG = "--tf_xla_persistent_cache_directory"
KEPT = 200  # programs, a quarter of a megabyte each


def keep() -> None:
    """Tell XLA, before TensorFlow is imported, to keep programs in the user's cache folder.

    A folder that the user has named in TF_XLA_FLAGS is left alone.
    """
    flags = os.environ.get("TF_XLA_FLAGS", "")
    if FLAG in flags:
        return
    place = folder()
    try:
        place.mkdir(parents=True, exist_ok=True)
        _prune(place)
    except OSError:
        return  # a home that cannot be written costs a second of compiling, nothing else
    if " " not in str(place):  # the flags are separated by spaces and cannot be quoted
        os.environ["TF_XLA_FLAGS"] = f"{flags} {FLAG}={place}".strip()


def folder() -> Path:
    """A folder for each processor and version of TensorFlow: a program holds the one's instructions for the other."""
    import platformdirs

    mark = crc32(f"{_processor()} {_version()}".encode())
    return platformdirs.user_cache_path("coach") / "tensorflow" / f"{mark:08x}"


def forget() -> bool:
    """Delete the kept programs; True if there were any and this process reads them."""
    place = folder()
    if f"{FLAG}={place}" not in os.environ.get("TF_XLA_FLAGS", ""):
        return False
    found = list(place.glob("*.pb"))
    for file in found:
        file.unlink(missing_ok=True)
    return bool(found)


def _prune(place: Path) -> None:
    """Keep the newest programs; another process may be doing the same."""
    ages = []
    for file in place.glob("*.pb"):
        with suppress(FileNotFoundError):
            ages.append((file.stat().st_mtime, file))
    for _, file in sorted(ages)[:-KEPT]:
        file.unlink(missing_ok=True)


def _processor() -> str:
    import platform

    about = f"{platform.machine()} {platform.processor()}"
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        return about
    return about + "".join(sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}))


def _version() -> str:
    for name in ("tensorflow", "tensorflow-cpu", "tensorflow-macos", "tf-nightly"):
        with suppress(PackageNotFoundError):
            return version(name)
    return "unknown"
