from typing import Any

from coachcore.api import RunInfo, hookimpl


@hookimpl
def coach_run_end(run: RunInfo, outcome: Any) -> None:
    """A line a run, in a file that all runs of the folder above share."""
    with (outcome.folder.parent / "results.csv").open("a", encoding="utf-8") as file:
        file.write(f"{run.preset},{run.seed},{outcome.steps},{outcome.best},{outcome.reason}\n")
