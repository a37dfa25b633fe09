from coachcore.api import Event, RunInfo, StopRun, hookimpl


@hookimpl
def coach_event(run: RunInfo, event: Event) -> None:
    """End the run when its policy has stopped getting better than chance could."""
    if event.kind == "evaluation" and event.step > run.total / 2 and event.data["max"] <= 0:
        raise StopRun("half the run is over and no evaluated episode ended above 0")
