from collections.abc import Callable, Mapping
from shutil import disk_usage

from coachcore.api import hookimpl


def room() -> str:
    """What is wrong, or nothing."""
    free = disk_usage(".").free / 2**30
    return "" if free > 1 else f"{free:.1f} GiB are left on this disk - checkpoints of long runs need more"


@hookimpl
def coach_doctor_checks() -> Mapping[str, Callable[[], str]]:
    """One more line of `coach doctor`."""
    return {"room for checkpoints": room}
